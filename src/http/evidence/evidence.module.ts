import { Module } from '@nestjs/common';
import { HistoryModule } from '../history/history.module.ts';
import { EventEvidenceController } from './event-evidence.controller.ts';
import { EvidenceReading } from './evidence-reading.ts';

@Module({ imports: [HistoryModule], controllers: [EventEvidenceController], providers: [EvidenceReading] })
export class EvidenceModule {}

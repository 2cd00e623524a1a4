import { Module } from '@nestjs/common';
import { HistoryModule } from '../history.module.ts';
import { EventEvidenceController } from './event-evidence.controller.ts';
import { PageComparer } from '../../checker/evidence/page-comparer.ts';
import { RuleValidationModule } from '../../checker/trial/rule-validation.module.ts';
import { EvidenceReading } from './evidence-reading.ts';

@Module({
  imports: [HistoryModule, RuleValidationModule],
  controllers: [EventEvidenceController],
  providers: [EvidenceReading, PageComparer],
})
export class EvidenceModule {}

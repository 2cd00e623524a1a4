import { Module } from '@nestjs/common';
import { StatementController } from './statement.controller.ts';
import { StatementEvidence } from './statement-evidence.ts';
import { StatementReading } from './statement-reading.ts';
import { StatementStore } from './statement-store.ts';

@Module({ controllers: [StatementController], providers: [StatementEvidence, StatementReading, StatementStore] })
export class StatementModule {}

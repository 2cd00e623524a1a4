import { Module } from '@nestjs/common';
import { HistoryRoutesModule } from '../../history/history-routes.module.ts';
import { StatementEvidence } from './statement-evidence.ts';
import { StatementReading } from './statement-reading.ts';
import { StatementStore } from './statement-store.ts';
import { StatementController } from './statement.controller.ts';
import { VERIFIER_SCRIPT, verifierScript } from './verifier-script.ts';

@Module({
  imports: [HistoryRoutesModule],
  controllers: [StatementController],
  providers: [StatementEvidence, StatementReading, StatementStore, { provide: VERIFIER_SCRIPT, useValue: verifierScript }],
})
export class StatementRoutesModule {}

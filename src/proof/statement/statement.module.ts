import { Module } from '@nestjs/common';
import { VERIFIER_SCRIPT, verifierScript } from './verifier-script.ts';
import { StatementController } from './statement.controller.ts';
import { StatementEvidence } from './statement-evidence.ts';
import { StatementReading } from './statement-reading.ts';
import { StatementStore } from './statement-store.ts';

@Module({
  controllers: [StatementController],
  providers: [StatementEvidence, StatementReading, StatementStore, { provide: VERIFIER_SCRIPT, useValue: verifierScript }],
})
export class StatementModule {}

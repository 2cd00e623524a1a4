import { Module } from '@nestjs/common';
import { EvidenceController } from './evidence.controller.ts';
import { LedgerController } from './ledger.controller.ts';
import { StatementEvidence } from './statement/statement-evidence.ts';
import { StatementReading } from './statement/statement-reading.ts';
import { StatementStore } from './statement/statement-store.ts';
import { StatementController } from './statement/statement.controller.ts';
import { VERIFIER_SCRIPT, verifierScript } from './statement/verifier-script.ts';
import { WitnessController } from './witness.controller.ts';

/** The seal, its witnesses, and statements. */
@Module({
  controllers: [LedgerController, EvidenceController, WitnessController, StatementController],
  providers: [StatementEvidence, StatementReading, StatementStore, { provide: VERIFIER_SCRIPT, useValue: verifierScript }],
})
export class ProofModule {}

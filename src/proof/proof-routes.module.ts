import { Module } from '@nestjs/common';
import { EvidenceController } from './evidence.controller.ts';
import { LedgerController } from './ledger.controller.ts';
import { StatementEvidence } from './statement/statement-evidence.ts';
import { StatementReading } from './statement/statement-reading.ts';
import { StatementStore } from './statement/statement-store.ts';
import { StatementController } from './statement/statement.controller.ts';
import { VERIFIER_SCRIPT, verifierScript } from './statement/verifier-script.ts';
import { WitnessController } from './witness.controller.ts';
import { HistoryRoutesModule } from '../history/history-routes.module.ts';
import { EventEvidenceController } from './evidence/event-evidence.controller.ts';
import { EvidenceReading } from './evidence/evidence-reading.ts';
import { PageComparer } from './evidence/page-comparer.ts';

/** The seal, its witnesses, the evidence of events, and statements. */
@Module({
  imports: [HistoryRoutesModule],
  controllers: [LedgerController, EvidenceController, EventEvidenceController, WitnessController, StatementController],
  providers: [
    EvidenceReading,
    PageComparer,
    StatementEvidence,
    StatementReading,
    StatementStore,
    { provide: VERIFIER_SCRIPT, useValue: verifierScript },
  ],
})
export class ProofRoutesModule {}

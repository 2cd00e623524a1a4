import { Module } from '@nestjs/common';
import { EvidenceController, EventEvidenceController } from './evidence/event-evidence.controller.ts';
import { LedgerController } from './ledger.controller.ts';
import { WitnessController } from './witness.controller.ts';
import { HistoryRoutesModule } from '../history/history-routes.module.ts';
import { EvidenceReading } from './evidence/evidence-reading.ts';
import { PageComparer } from './evidence/page-comparer.ts';

/** The seal, its witnesses, and the evidence of events. */
@Module({
  imports: [HistoryRoutesModule],
  controllers: [LedgerController, EvidenceController, EventEvidenceController, WitnessController],
  providers: [EvidenceReading, PageComparer],
})
export class ProofRoutesModule {}

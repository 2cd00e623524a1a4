import { Module } from '@nestjs/common';
import { EvidenceController } from './evidence.controller.ts';
import { LedgerController } from './ledger.controller.ts';
import { WitnessController } from './witness.controller.ts';

@Module({ controllers: [LedgerController, EvidenceController, WitnessController] })
export class LedgerModule {}

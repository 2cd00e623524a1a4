import { Module } from '@nestjs/common';
import { EvidenceController } from './evidence.controller.ts';
import { LedgerController } from './ledger.controller.ts';

@Module({ controllers: [LedgerController, EvidenceController] })
export class LedgerModule {}

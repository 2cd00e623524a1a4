import { Global, Module } from '@nestjs/common';
import { ReceiptRequests } from '../../accounts/rights/request-right.ts';
import { SignedReceipts } from './receipt-requests.ts';

/** Binds the port of the guard of rights, which signs nothing without it. */
@Global()
@Module({ providers: [{ provide: ReceiptRequests, useClass: SignedReceipts }], exports: [ReceiptRequests] })
export class ReceiptsModule {}

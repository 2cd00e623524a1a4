import { Readable } from 'node:stream';
import { Controller, Get, Header, Param, Query, StreamableFile } from '@nestjs/common';
import { InvalidInput } from '../kernel/errors.ts';
import { UUID_PATTERN } from '../kernel/ids.ts';
import { Ledger, type Proof } from './seal/ledger.ts';
import { formatTlogProof } from '../client/proofs/tlog-proof.ts';
import { RecordsAccess } from '../accounts/accesses/records-access.ts';
import { NotFound } from '../platform/http/errors/refusals.ts';
import { readFromTo } from '../platform/http/spans/instant-input.ts';
import { Needs } from '../accounts/rights/needs.ts';
import { projectRight } from '../accounts/rights/right.ts';
import { projectStream } from '../kernel/stream-names.ts';

/** Exports and inclusion proofs, for verification independent of this service (docs/spec/beyond.md#B5). */
@Controller('project/:id/history')
export class EvidenceController {
  constructor(private readonly ledger: Ledger) {}

  @Get('export')
  @RecordsAccess('export')
  @Needs(projectRight('read', { afterDeletion: true, scope: 'export' }))
  @Header('cache-control', 'no-store')
  async export(@Param('id') projectId: string, @Query() query: Record<string, unknown>): Promise<StreamableFile> {
    const { from, to } = readFromTo(query);
    const lines = await this.ledger.export(projectId, projectStream(projectId), from?.utc ?? null, to?.utc ?? null);
    return new StreamableFile(Readable.from(lines, { objectMode: false }), {
      type: 'application/x-ndjson; charset=utf-8',
      disposition: `attachment; filename="watchledger-${projectId}.ndjson"`,
    });
  }

  @Get(':eventId/proof')
  @RecordsAccess('proof')
  @Needs(projectRight('read', { afterDeletion: true }))
  async proof(
    @Param('id') projectId: string,
    @Param('eventId') eventId: string,
    @Query('format') format: unknown = 'json',
  ): Promise<Proof | StreamableFile> {
    if (format !== 'json' && format !== 'tlog-proof')
      throw new InvalidInput('format: must be json or tlog-proof', { allowed: ['json', 'tlog-proof'] });
    const proof = UUID_PATTERN.test(eventId) ? await this.ledger.proof(projectStream(projectId), eventId) : null;
    if (proof === null) throw new NotFound();
    if (format === 'json') return proof;
    const disposition = `attachment; filename="${eventId}.tlog-proof"`;
    return new StreamableFile(Buffer.from(formatTlogProof(proof)), { type: 'text/plain; charset=utf-8', disposition });
  }
}

import { Readable } from 'node:stream';
import { Controller, Get, Header, Inject, Param, Query, StreamableFile } from '@nestjs/common';
import { InvalidInput } from '../../kernel/errors.ts';
import { readInstant } from '../../kernel/instants.ts';
import { LEDGER, type Ledger, type Proof } from '../../ledger/ledger.ts';
import { NotFound } from '../errors/refusals.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What somebody takes home who does not trust us (beyond.md, B5). */
@Controller('project/:id/history')
export class EvidenceController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Get('export')
  @Header('cache-control', 'no-store')
  async export(@Param('id') projectId: string, @Query() query: Record<string, unknown>): Promise<StreamableFile> {
    const [from, to] = [instantOf(query, 'from'), instantOf(query, 'to')];
    if (from !== null && to !== null && from > to) throw new InvalidInput('from: lies after to');
    const lines = await this.ledger.export(projectId, `project-${projectId}`, from, to);
    return new StreamableFile(Readable.from(lines, { objectMode: false }), {
      type: 'application/x-ndjson; charset=utf-8',
      disposition: `attachment; filename="watchledger-${projectId}.ndjson"`,
    });
  }

  @Get(':eventId/proof')
  async proof(@Param('id') projectId: string, @Param('eventId') eventId: string): Promise<Proof> {
    const proof = UUID.test(eventId) ? await this.ledger.proof(`project-${projectId}`, eventId) : null;
    if (proof === null) throw new NotFound();
    return proof;
  }
}

function instantOf(query: Readonly<Record<string, unknown>>, name: string): string | null {
  if (query[name] === undefined) return null;
  const read = readInstant(query[name]);
  if (read.kind === 'invalid') throw new InvalidInput(`${name}: ${read.reason}`);
  return read.utc;
}

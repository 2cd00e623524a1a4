import { Controller, Get, Header, Inject, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput } from '../../kernel/errors.ts';
import { type ConsistencyProof, LEDGER, type Ledger } from '../../ledger/ledger.ts';
import { parseTilePath } from '../../ledger/tiles/tile-path.ts';
import { NotFound } from '../errors/refusals.ts';
import { Needs } from '../rights/needs.ts';
import { openRight, systemReader } from '../rights/right.ts';

const TEXT = 'text/plain; charset=utf-8';
const CACHE_SCOPE = { hashes: 'public', entries: 'private' } as const;

/** The seal in the format of transparency logs: C2SP tlog-tiles under `/ledger` (docs/spec/beyond.md#B5). */
@Controller('ledger')
export class LedgerController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Get('checkpoint')
  @Needs(openRight)
  @Header('content-type', TEXT)
  async checkpoint(): Promise<string> {
    const note = await this.ledger.checkpoint();
    if (note === null) throw new NotFound('Nothing has been sealed yet.');
    return note;
  }

  @Get('key')
  @Needs(openRight)
  @Header('content-type', TEXT)
  async key(): Promise<string> {
    return (await this.ledger.verifierKeys()).map((key) => `${key}\n`).join('');
  }

  @Get('consistency')
  @Needs(openRight)
  async consistency(@Query() { from, to }: Record<string, unknown>): Promise<ConsistencyProof> {
    const [first, second] = [sizeOf('from', from), sizeOf('to', to)];
    if (first > second) throw new InvalidInput('to: must not be smaller than from');
    const proof = await this.ledger.consistency(first, second);
    if (proof === null) throw new NotFound(`Fewer than ${String(second)} events are sealed.`);
    return proof;
  }

  @Get('tile/entries/*')
  @Needs(systemReader)
  entries(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.serve(request, reply, 'entries');
  }

  @Get('tile/*')
  @Needs(openRight)
  tile(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    return this.serve(request, reply, 'hashes');
  }

  /** Parses the raw path, because a tile has exactly one spelling. Only existing tiles are cacheable: a missing one may be written later. */
  private async serve(request: FastifyRequest, reply: FastifyReply, kind: 'hashes' | 'entries'): Promise<Buffer> {
    const [path = ''] = request.url.split('?', 1);
    const tile = parseTilePath(path.slice(path.indexOf('/tile/') + '/tile/'.length));
    const bytes = tile?.kind === kind ? await this.ledger.tile(tile) : null;
    if (bytes === null) throw new NotFound();
    reply.headers({ 'content-type': 'application/octet-stream', 'cache-control': `${CACHE_SCOPE[kind]}, max-age=31536000, immutable` });
    return bytes;
  }
}

function sizeOf(name: string, value: unknown): number {
  const size = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : 0;
  if (size < 1) throw new InvalidInput(`${name}: must be a number of events, at least 1`);
  return size;
}

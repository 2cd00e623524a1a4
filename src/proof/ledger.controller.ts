import { Controller, Get, Header, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput } from '../kernel/errors.ts';
import { type ConsistencyProof, Ledger, type LogOrigin } from './seal/ledger.ts';
import { parseTilePath } from './seal/tiles/tile-path.ts';
import { NotFound } from '../platform/http/errors/refusals.ts';
import { Needs } from '../accounts/rights/needs.ts';
import { openRight, systemReader } from '../accounts/rights/right.ts';

const TEXT = 'text/plain; charset=utf-8';
const CACHE_SCOPE = { hashes: 'public', entries: 'private' } as const;

/**
 * The seal in the format of transparency logs: C2SP tlog-tiles under `/ledger` (docs/spec/beyond.md#B5). A later origin of the log has an address of its own, too, as
 * its name says (`/ledger/2`): no cache mixes its tiles with those of the origin before.
 */
@Controller('ledger')
export class LedgerController {
  constructor(private readonly ledger: Ledger) {}

  @Get(['checkpoint', ':number/checkpoint'])
  @Needs(openRight)
  @Header('content-type', TEXT)
  async checkpoint(@Param('number') number?: string): Promise<string> {
    await this.refuseOtherOrigin(number);
    const note = await this.ledger.checkpoint();
    if (note === null) throw new NotFound('Nothing has been sealed yet.');
    return note;
  }

  @Get('origins')
  @Needs(openRight)
  async origins(): Promise<{ readonly origins: readonly LogOrigin[] }> {
    return { origins: await this.ledger.origins() };
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

  @Get(['tile/entries/*', ':number/tile/entries/*'])
  @Needs(systemReader)
  entries(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('number') number?: string,
  ): Promise<Buffer> {
    return this.serve(request, reply, 'entries', number);
  }

  @Get(['tile/*', ':number/tile/*'])
  @Needs(openRight)
  tile(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('number') number?: string): Promise<Buffer> {
    return this.serve(request, reply, 'hashes', number);
  }

  /** Parses the raw path, because a tile has exactly one spelling. Only existing tiles are cacheable: a missing one may be written later. */
  private async serve(request: FastifyRequest, reply: FastifyReply, kind: 'hashes' | 'entries', number?: string): Promise<Buffer> {
    const origin = await this.refuseOtherOrigin(number);
    const [path = ''] = request.url.split('?', 1);
    const tile = parseTilePath(path.slice(path.indexOf('/tile/') + '/tile/'.length));
    const bytes = tile?.kind === kind ? await this.ledger.tile(tile) : null;
    if (bytes === null) throw new NotFound();
    // Without its number the address of a later origin had the tiles of an earlier one before.
    const cached = number === undefined && origin > 1 ? 'no-cache' : `${CACHE_SCOPE[kind]}, max-age=31536000, immutable`;
    reply.headers({ 'content-type': 'application/octet-stream', 'cache-control': cached });
    return bytes;
  }

  /** Answers the number of the origin that signs. The first one has no number in its name, and those that ended have no tiles behind the loss. */
  private async refuseOtherOrigin(number: string | undefined): Promise<number> {
    const origin = await this.ledger.originNumber();
    if (number !== undefined && (origin === 1 || number !== String(origin))) throw new NotFound();
    return origin;
  }
}

function sizeOf(name: string, value: unknown): number {
  const size = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : 0;
  if (size < 1) throw new InvalidInput(`${name}: must be a number of events, at least 1`);
  return size;
}

import { Controller, Get, Header, Param, Query, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { InvalidInput } from '../../kernel/errors.ts';
import { UUID_PATTERN } from '../../kernel/ids.ts';
import { Ledger, type Proof } from '../seal/ledger.ts';
import { formatTlogProof } from '../../client/proofs/tlog-proof.ts';
import { RecordsAccess } from '../../accounts/accesses/records-access.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { disconnectSignal } from '../../platform/http/context/disconnect-signal.ts';
import { HistoryFiles } from '../../history/history-files.ts';
import { readFromTo } from '../../platform/http/spans/instant-input.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { formatEvidenceFile, withoutCosignatures } from '../../checker/evidence/evidence-file.ts';
import { CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import { TrialService } from '../../checker/trial/trial.service.ts';
import { jobOfExchange } from '../../checker/evidence/exchange-of.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { EVIDENCE_FILE_TYPE, type EvidenceAnswer } from '../../checker/evidence/evidence.api.ts';
import { EvidenceReading, type FoundEvidence } from './evidence-reading.ts';
import { PageComparer } from './page-comparer.ts';
import { charsetIn, presentJudgedRules } from '../../checker/evidence/judged-exchange.ts';
import type { ByteRange } from '../../checker/locating/located-page.ts';
import type { ShownHeader } from '../../platform/observations/exchanges/exchange.ts';

/** Exports and inclusion proofs, for verification independent of this service (docs/spec/beyond.md#B5). */
@Controller('project/:id/history')
export class EvidenceController {
  constructor(
    private readonly ledger: Ledger,
    private readonly files: HistoryFiles,
  ) {}

  @Get('export')
  @RecordsAccess('export')
  @Needs(projectRight('read', { afterDeletion: true, scope: 'export' }))
  @Header('cache-control', 'no-store')
  async export(
    @Param('id') projectId: string,
    @Query() query: Record<string, unknown>,
    @CurrentPrincipal() principal: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { from, to } = readFromTo(query);
    const span = { from: from?.utc ?? null, to: to?.utc ?? null };
    const chunks = await this.ledger.export(projectId, projectStream(projectId), span, disconnectSignal(reply));
    return this.files.answer({ name: `watchledger-${projectId}.ndjson`, type: 'application/x-ndjson', chunks }, principal, reply);
  }

  @Get(':eventId/proof')
  @RecordsAccess('proof')
  @Needs(projectRight('read', { afterDeletion: true }))
  async proof(
    @Param('id') projectId: string,
    @Param('eventId') eventId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query('format') format: unknown = 'json',
  ): Promise<Proof | StreamableFile> {
    if (format !== 'json' && format !== 'tlog-proof')
      throw new InvalidInput('format: must be json or tlog-proof', { allowed: ['json', 'tlog-proof'] });
    const proof = UUID_PATTERN.test(eventId)
      ? await this.ledger.proof(projectStream(projectId), eventId, 'cosigned', disconnectSignal(reply))
      : null;
    if (proof === null) throw new NotFound();
    if (format === 'json') return proof;
    const disposition = `attachment; filename="${eventId}.tlog-proof"`;
    return new StreamableFile(Buffer.from(formatTlogProof(proof)), { type: 'text/plain; charset=utf-8', disposition });
  }
}

interface PageFindings {
  readonly isPageKept: boolean;
  /** The bytes that decided each rule; empty when no page is kept. */
  readonly ranges: readonly (ByteRange | null)[];
}

/** docs/spec/beyond.md#B18. */
function presentEvidence({ event, sha256, exchange }: FoundEvidence, { isPageKept, ranges }: PageFindings): EvidenceAnswer {
  const { request, answer, judged, ...rest } = exchange;
  return {
    event: { id: event.id, position: String(event.n), type: event.type, recordedAt: event.recordedAt },
    exchange: sha256,
    ...rest,
    request: request === null ? null : { ...request, headers: request.headers.map(presentHeader) },
    answer: answer === null ? null : { ...answer, headers: answer.headers.map(presentHeader), kept: isPageKept },
    rules: presentJudgedRules(judged, ranges),
    page: judged?.failures.flatMap(({ rule, sentence }) => (rule === null ? [sentence] : [])) ?? [],
  };
}

const presentHeader = ([name, value]: ShownHeader) => ({ name, value });

/** What a verdict, or another finding about a site, rests on (docs/spec/beyond.md#B18). */
@Controller('project/:id/history/:eventId/evidence')
@Needs(projectRight('evidence', { afterDeletion: true }))
@RecordsAccess('evidence')
export class EventEvidenceController {
  constructor(
    private readonly reading: EvidenceReading,
    private readonly comparison: PageComparer,
    private readonly trials: TrialService,
    private readonly ledger: Ledger,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  async evidence(
    @Param('id') projectId: string,
    @Param('eventId') eventId: string,
    @CurrentPrincipal() principal: Principal,
    @Query('format') format: unknown = 'json',
  ): Promise<EvidenceAnswer | StreamableFile> {
    if (format !== 'json' && format !== 'file') throw new InvalidInput('format: must be json or file', { allowed: ['json', 'file'] });
    const found = await this.reading.find(projectId, eventId);
    const page = await this.reading.keptPage(found);
    const job = page === null ? null : jobOfExchange(found.exchange, page);
    const ranges = job === null ? [] : await this.trials.locate(job, principal.userId);
    if (format === 'json') return presentEvidence(found, { isPageKept: page !== null, ranges });
    const proof = await this.ledger.proof(projectStream(projectId), eventId, 'signed');
    if (proof === null) throw new NotFound();
    const file = formatEvidenceFile({
      project: projectId,
      proof: formatTlogProof({ ...proof, checkpoint: withoutCosignatures(proof.checkpoint) }),
      exchange: found.exchange,
      page: page?.toString('base64') ?? null,
      bytes: ranges,
    });
    const disposition = `attachment; filename="evidence-${eventId}.json"`;
    return new StreamableFile(Buffer.from(file), { type: EVIDENCE_FILE_TYPE, disposition });
  }

  /** A foreign page on our origin: it is never rendered, nor run. */
  @Get('page')
  @Header('cache-control', 'no-store')
  @Header('x-content-type-options', 'nosniff')
  @Header('content-security-policy', 'sandbox')
  async page(
    @Param('id') projectId: string,
    @Param('eventId') eventId: string,
    @CurrentPrincipal() principal: Principal,
    @Query('diff') diff?: unknown,
  ): Promise<StreamableFile> {
    if (diff !== undefined && diff !== 'passing') throw new InvalidInput('diff: must be passing', { allowed: ['passing'] });
    const found = await this.reading.find(projectId, eventId);
    const bytes = await this.reading.page(found);
    if (diff === 'passing') {
      const text = Buffer.from(await this.comparison.withPassing(found, bytes, principal.userId));
      return new StreamableFile(text, { type: 'text/plain; charset=utf-8', disposition: `attachment; filename="${eventId}.diff"` });
    }
    return new StreamableFile(bytes, {
      type: `text/plain; charset=${charsetIn(bytes, found.exchange)}`,
      disposition: `attachment; filename="${eventId}.txt"`,
      length: bytes.length,
    });
  }
}

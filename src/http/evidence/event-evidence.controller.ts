import { Controller, Get, Header, Inject, Param, Query, StreamableFile } from '@nestjs/common';
import { InvalidInput } from '../../kernel/errors.ts';
import { CurrentPrincipal } from '../context/decorators.ts';
import { TrialService } from '../trial/trial.service.ts';
import { jobOfExchange } from '../../checker/evidence/job-of-exchange.ts';
import type { Principal } from '../context/principal.ts';
import { RecordsAccess } from '../accesses/records-access.ts';
import { Needs } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';
import type { EvidenceAnswer } from './evidence.description.ts';
import { presentEvidence } from './evidence.presenter.ts';
import { EvidenceReading } from './evidence-reading.ts';
import { PageComparer } from './page-comparer.ts';
import { charsetIn } from './page-charset.ts';

/** What a verdict, or another finding about a site, rests on (docs/spec/beyond.md#B18). */
@Controller('project/:id/history/:eventId/evidence')
@Needs(projectRight('evidence', { afterDeletion: true }))
@RecordsAccess('evidence')
export class EventEvidenceController {
  constructor(
    @Inject(EvidenceReading) private readonly reading: EvidenceReading,
    @Inject(PageComparer) private readonly comparison: PageComparer,
    @Inject(TrialService) private readonly trials: TrialService,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  async evidence(
    @Param('id') projectId: string,
    @Param('eventId') eventId: string,
    @CurrentPrincipal() principal: Principal,
  ): Promise<EvidenceAnswer> {
    const found = await this.reading.find(projectId, eventId);
    const page = await this.reading.keptPage(found);
    const job = page === null ? null : jobOfExchange(found.exchange, page);
    const ranges = job === null ? [] : await this.trials.locate(job, principal.userId);
    return presentEvidence(found, { isPageKept: page !== null, ranges });
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

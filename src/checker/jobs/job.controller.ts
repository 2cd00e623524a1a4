import { PassThrough } from 'node:stream';
import { Controller, Get, Inject, Logger, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { type Release, StreamBudget } from '../../accounts/budgets/stream-budget.ts';
import { CurrentContext, CurrentList, CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess, CurrentCheck } from '../../projects/request-project.ts';
import { disconnectSignal } from '../../platform/http/context/disconnect-signal.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { baseUrlOf } from '../../platform/http/presentation/answers.ts';
import { JobWait } from './job-wait.ts';
import { JobList, JobReading } from './job-reading.ts';
import { JobStart, readStartQuery } from './job-start.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { StreamRights } from '../../accounts/rights/stream-rights.ts';
import type { ListPage, ListRequest } from '../../platform/http/lists/list.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import { requestedInstant, requestNow } from '../../platform/http/as-of/as-of.ts';
import { readResultsQuery, TestResults } from './test-results.ts';
import { DAY_MS } from '../../kernel/time.ts';

/** The longest wait of a start with `keep-alive` (docs/spec/decisions.md#J3). */
const MAX_WAIT_MS = 120_000;

const NOTHING: Release = () => undefined;

@Controller('project/:id')
export class JobController {
  private readonly logger = new Logger('http');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly starting: JobStart,
    private readonly reading: JobReading,
    private readonly waiting: JobWait,
    private readonly listing: JobList,
    private readonly budget: StreamBudget,
    private readonly rights: StreamRights,
  ) {}

  @Get(['start', 'start/area/:areaId'])
  @Needs(projectRight('run'))
  async start(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Param('areaId') areaId: string | undefined,
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const { tests, keepAlive, stream } = readStartQuery(query);
    const isOpen = stream || keepAlive;
    const release = isOpen ? this.budget.openJob(principal) : NOTHING;
    let unwatch = NOTHING;
    let isFollowed = false;
    try {
      const jobId = await this.starting.start(context, projectId, areaId ?? null, tests);
      const started = {
        projectId,
        jobId,
        start: 'ok',
        results: `${baseUrlOf(request, this.config)}/project/${projectId}/job/${jobId}/results`,
      };
      if (!isOpen) return started;
      const rightEnded = new AbortController();
      const end = (): void => {
        rightEnded.abort();
      };
      unwatch = this.rights.watch({ projectId, principal, needs: 'run', scope: 'run', end });
      const signal = AbortSignal.any([disconnectSignal(reply), rightEnded.signal]);
      if (stream) {
        void reply.type('application/x-ndjson');
        isFollowed = true;
        return this.lines(started, projectId, jobId, signal, () => {
          unwatch();
          release();
        });
      }
      await this.waiting.waitForEnd(projectId, jobId, AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]));
      return started;
    } finally {
      if (!isFollowed) {
        unwatch();
        release();
      }
    }
  }

  @Get('job/:jobId/results')
  @Needs(projectRight('read'))
  async results(@CurrentProject() { projectId }: ProjectAccess, @Param('jobId') jobId: string): Promise<object> {
    return this.reading.results(await this.reading.row(projectId, jobId), Date.now());
  }

  @Get('jobs')
  @Needs(projectRight('read'))
  jobs(@CurrentProject() { projectId }: ProjectAccess, @CurrentList() query: ListRequest): Promise<ListPage> {
    return this.listing.page(projectId, query);
  }

  /** JSON lines: the start body, each result as it arrives, finally the job results (docs/spec/decisions.md#J4). */
  private lines(started: object, projectId: string, jobId: string, signal: AbortSignal, release: Release): PassThrough {
    const out = new PassThrough();
    const write = async (): Promise<void> => {
      out.write(`${JSON.stringify(started)}\n`);
      let written = 0;
      for await (const job of this.waiting.follow(projectId, jobId, signal)) {
        for (const result of job.results.slice(written)) out.write(`${JSON.stringify(result)}\n`);
        written = job.results.length;
        if (job.processed) out.write(`${JSON.stringify(job)}\n`);
      }
    };
    void write()
      .catch((error: unknown) => {
        // The status was sent already: the body ends without the job's last line.
        this.logger.error(error);
      })
      .finally(() => {
        release();
        out.end();
      });
    return out;
  }
}

/** docs/spec/decisions.md#more-paths-that-clients-expect. */
@Controller()
export class TestResultsController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly reading: TestResults,
  ) {}

  @Get(['test/:id/results', 'tests/:id/results'])
  @Needs(projectRight('read'))
  results(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentCheck() check: CheckRow,
    @Query() query: Record<string, unknown>,
    @CurrentList() list: ListRequest,
  ): Promise<ListPage> {
    const asked = readResultsQuery(query, list, requestNow(), this.config.retentionDays * DAY_MS);
    return this.reading.page(projectId, check, { ...asked, recordedUntil: requestedInstant() });
  }
}

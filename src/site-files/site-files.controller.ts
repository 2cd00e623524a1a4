import { setTimeout } from 'node:timers/promises';
import { Body, Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PlanStale } from './site.decider.ts';
import { ConcurrencyLimit } from '../kernel/concurrency-limit.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { CurrentContext, CurrentPrincipal } from '../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess } from '../projects/request-project.ts';
import { payerOf, type Principal } from '../platform/http/context/principal.ts';
import type { ProjectRow } from '../projects/project.view.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { Needs } from '../accounts/rights/needs.ts';
import { callerRight, projectRight } from '../accounts/rights/right.ts';
import { ForeignChangesReading } from './foreign-changes.ts';
import type { PlannedSite } from './planned-site.ts';
import { inOneLine } from './read-site-files.ts';
import { RuleHistory } from './rule-history.ts';
import { SiteApplier } from './site-applier.ts';
import type { ParsedSites } from './site-file-parser.ts';
import { SiteReading } from './site-reading.ts';
import type {
  AppliedSiteAnswer,
  AppliedSitesAnswer,
  SiteAnswer,
  SitePlanAnswer,
  SitePlansAnswer,
  StatusPageFileAnswer,
} from './site-files.api.ts';
import { SiteAmbiguous, SiteFinder } from './site-finder.ts';
import { ApplySitesDto, PlanSitesDto } from './site-plan.dto.ts';
import { presentChange, presentPlan } from './site-plan.presenter.ts';
import { type SiteError, siteErrorOf } from './site-error.ts';
import { SiteNotShown, SitePlanner } from './site-planner.ts';
import { StatusPageFiles } from './status-page-files.ts';

type Planned = PlannedSite | { readonly file: string; readonly key: string; readonly error: SiteError };

/** Reads of a plan at a time. */
const AT_ONCE = 8;
/** For the read models to show a project that was made just now. */
const [MOST_WAITS, WAIT_MS] = [10, 200];

/** docs/spec/beyond.md#B10. */
@Controller()
export class SiteFilesController {
  constructor(
    private readonly finder: SiteFinder,
    private readonly planner: SitePlanner,
    private readonly applier: SiteApplier,
    private readonly reading: SiteReading,
    private readonly foreign: ForeignChangesReading,
    private readonly history: RuleHistory,
    private readonly pages: StatusPageFiles,
  ) {}

  @Get('status-pages/:id/file')
  @Needs(callerRight)
  readPage(@CurrentPrincipal() caller: Principal, @Param('id') pageId: string): Promise<StatusPageFileAnswer> {
    return this.pages.document(caller, pageId);
  }

  @Get('project/:id/site')
  @Needs(projectRight('read'))
  async read(@CurrentProject() access: ProjectAccess, @CurrentPrincipal() caller: Principal): Promise<SiteAnswer> {
    const { document: site, references } = await this.reading.document(access, caller);
    const { row } = access;
    return { projectId: row.id, title: row.settings.title, key: row.settings.key ?? null, site, references };
  }

  @Post('projects/plan')
  @Needs(callerRight)
  @HttpCode(200)
  async plan(@CurrentPrincipal() caller: Principal, @Body() body: PlanSitesDto, @Req() request: FastifyRequest): Promise<SitePlansAnswer> {
    const parsed = await this.planner.parse(body.files, payerOf(caller));
    const plans = await this.plans(caller, body, parsed, request.id);
    const projects = await forEachOf(plans, async (plan) =>
      'error' in plan
        ? withoutPlan(plan)
        : presentPlan(
            plan,
            await this.foreign.of(plan),
            body.history === undefined ? [] : await this.history.of(plan, parseInt(body.history, 10)),
          ),
    );
    const statusPages = await this.pages.plans(caller, body, parsed.pages, request.id);
    return { projects, statusPages, problems: parsed.problems };
  }

  @Post('projects/apply')
  @Needs(callerRight)
  @HttpCode(200)
  async apply(
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Body() body: ApplySitesDto,
    @Req() request: FastifyRequest,
  ): Promise<AppliedSitesAnswer> {
    const parsed = await this.planner.parse(body.files, payerOf(caller));
    if (parsed.problems.length > 0)
      throw new InvalidInput(parsed.problems.map((problem) => ({ param: 'files', message: `files: ${inOneLine(problem)}` })));
    const plans = await this.plans(caller, body, parsed, request.id);
    const projects = await forEachOf(plans, async (plan, index): Promise<AppliedSiteAnswer> => {
      if ('error' in plan) return { key: plan.key, file: plan.file, projectId: null, result: 'refused', changes: [], error: plan.error };
      const about = { key: plan.site.key, file: plan.file, projectId: plan.projectId };
      try {
        const token = Object.hasOwn(body.plans, plan.site.key) ? body.plans[plan.site.key] : undefined;
        const result = await this.applier.apply(caller, context, plan, token, body.commit);
        return {
          ...about,
          result,
          changes: result === 'applied' ? plan.changes.map((change) => presentChange(change, () => null)) : [],
          error: null,
        };
      } catch (error) {
        if (error instanceof PlanStale && (await this.isAsWanted(caller, body, parsed, index, request.id)))
          return { ...about, result: 'unchanged', changes: [], error: null };
        const known = { ...about, projectId: plan.access === null ? null : plan.projectId };
        return { ...known, result: 'refused', changes: [], error: siteErrorOf(error, request.id) };
      }
    });
    if (parsed.pages.length === 0) return { projects, statusPages: [] };
    // Their items may name what was made just now.
    await context.waitUntilVisible();
    return { projects, statusPages: await this.pages.apply(caller, context, body, parsed.pages, request.id) };
  }

  private async plans(caller: Principal, body: PlanSitesDto, { sites }: ParsedSites, requestId: string): Promise<readonly Planned[]> {
    const rows = await this.finder.find(
      caller,
      sites.map(({ site }) => site),
    );
    const { prune, keepSecrets, files } = body;
    const planOf = this.planner.plansOfOwners();
    return forEachOf(sites, async ({ file, fileIndex, site }, index): Promise<Planned> => {
      try {
        const row = rows[index] ?? null;
        if (row instanceof SiteAmbiguous) throw row;
        const secrets = files[fileIndex]?.secrets ?? {};
        return await this.planShown(caller, site, row, (shown) =>
          this.planner.plan(caller, file, site, shown, { prune, keepSecrets, secrets, planOf }),
        );
      } catch (error) {
        return { file, key: site.key, error: siteErrorOf(error, requestId) };
      }
    });
  }

  /** Another request may have applied the same file at the same time. */
  private async isAsWanted(caller: Principal, body: PlanSitesDto, parsed: ParsedSites, index: number, requestId: string): Promise<boolean> {
    const [now] = await this.plans(caller, body, { ...parsed, sites: parsed.sites.slice(index, index + 1) }, requestId);
    return now !== undefined && !('error' in now) && now.changes.length === 0;
  }

  /** Waits a moment for a project that was made just now, as by an apply that was interrupted. */
  private async planShown(
    caller: Principal,
    site: ParsedSites['sites'][number]['site'],
    found: ProjectRow | null,
    plan: (row: ProjectRow | null) => Promise<PlannedSite>,
  ): Promise<PlannedSite> {
    let row = found;
    for (let waits = 0; ; waits++) {
      try {
        return await plan(row);
      } catch (error) {
        if (!(error instanceof SiteNotShown) || waits === MOST_WAITS) throw error;
        await setTimeout(WAIT_MS);
        const [shown = null] = await this.finder.find(caller, [site]);
        if (shown instanceof SiteAmbiguous) throw shown;
        row = shown;
      }
    }
  }
}

const withoutPlan = ({ file, key, error }: Exclude<Planned, PlannedSite>): SitePlanAnswer => ({
  key,
  file,
  projectId: null,
  action: 'none',
  revision: null,
  plan: '',
  changes: [],
  unlisted: [],
  history: [],
  error,
});

/** Answers the results in the order of the items. */
async function forEachOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const limit = new ConcurrencyLimit(AT_ONCE);
  return Promise.all(items.map((item, index) => limit.run(() => work(item, index))));
}

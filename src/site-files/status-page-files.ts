import { Injectable } from '@nestjs/common';
import { itemsOf } from '../status-pages/status-page.settings.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { StatusPageRights } from '../status-pages/status-page-rights.ts';
import { ForeignChangesReading } from './foreign-changes.ts';
import { siteErrorOf } from './site-error.ts';
import type { ParsedStatusPage } from './site-file-parser.ts';
import type { AppliedStatusPageAnswer, StatusPageFileAnswer, StatusPagePlanAnswer } from './site-files.description.ts';
import type { ApplySitesDto, PlanSitesDto } from './site-plan.dto.ts';
import { presentChange, presentPagePlan } from './site-plan.presenter.ts';
import { StatusPageApplier } from './status-page-applier.ts';
import { statusPageDocument } from './status-page-document.ts';
import { StatusPageItems } from './status-page-items.ts';
import { type PlannedStatusPage, StatusPagePlanner } from './status-page-planner.ts';

/** The status pages of site files, one after the other: an installation has few. */
@Injectable()
export class StatusPageFiles {
  constructor(
    private readonly rights: StatusPageRights,
    private readonly items: StatusPageItems,
    private readonly planner: StatusPagePlanner,
    private readonly applier: StatusPageApplier,
    private readonly foreign: ForeignChangesReading,
  ) {}

  async plans(
    caller: Principal,
    body: PlanSitesDto,
    pages: readonly ParsedStatusPage[],
    requestId: string,
  ): Promise<readonly StatusPagePlanAnswer[]> {
    const plans: StatusPagePlanAnswer[] = [];
    for (const parsed of pages) {
      try {
        const plan = await this.plan(caller, body, parsed);
        plans.push(presentPagePlan(plan, await this.foreign.ofPage(plan)));
      } catch (error) {
        const about = { slug: parsed.page.slug, file: parsed.file, pageId: null };
        plans.push({ ...about, action: 'none', plan: '', changes: [], missing: [], error: siteErrorOf(error, requestId) });
      }
    }
    return plans;
  }

  async apply(
    caller: Principal,
    context: RequestContext,
    body: ApplySitesDto,
    pages: readonly ParsedStatusPage[],
    requestId: string,
  ): Promise<readonly AppliedStatusPageAnswer[]> {
    const results: AppliedStatusPageAnswer[] = [];
    for (const parsed of pages) {
      const about = { slug: parsed.page.slug, file: parsed.file };
      try {
        const plan = await this.plan(caller, body, parsed);
        const { result, pageId } = await this.applier.apply(caller, context, plan, body.plans[`status-page:${about.slug}`], body.commit);
        const changes = result === 'applied' ? plan.changes.map((change) => presentChange(change, () => null)) : [];
        results.push({ ...about, pageId, result, changes, error: null });
      } catch (error) {
        results.push({ ...about, pageId: null, result: 'refused', changes: [], error: siteErrorOf(error, requestId) });
      }
    }
    return results;
  }

  async document(caller: Principal, pageId: string): Promise<StatusPageFileAnswer> {
    const page = await this.rights.requirePage(caller, pageId);
    return { pageId, slug: page.settings.slug, ...statusPageDocument(page, await this.items.spelled(itemsOf(page.settings))) };
  }

  private plan(
    caller: Principal,
    { files, keepSecrets }: PlanSitesDto,
    { file, fileIndex, page }: ParsedStatusPage,
  ): Promise<PlannedStatusPage> {
    return this.planner.plan(caller, file, page, { keepSecrets, secrets: files[fileIndex]?.secrets ?? {} });
  }
}

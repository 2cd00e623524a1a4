import { Injectable } from '@nestjs/common';
import { draftsOnly, itemsOf, noColors, noWords } from '../status-pages/status-page.settings.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { StatusPageRights } from '../status-pages/status-page-rights.ts';
import { ForeignChangesReading } from './foreign-changes.ts';
import { siteErrorOf } from './site-error.ts';
import type { ParsedStatusPage } from './site-file-parser.ts';
import type { AppliedStatusPageAnswer, StatusPageFileAnswer, StatusPagePlanAnswer } from './site-files.api.ts';
import type { ApplySitesDto, PlanSitesDto } from './site-plan.dto.ts';
import { presentChange, presentPagePlan } from './site-plan.presenter.ts';
import { StatusPageApplier } from './status-page-applier.ts';
import { type ItemReference, StatusPageItems } from './status-page-items.ts';
import { type PlannedStatusPage, StatusPagePlanner } from './status-page-planner.ts';
import type { StatusPageRow } from '../status-pages/status-page.view.ts';
import { differing, References, type SiteDocument, unlessEmpty } from './site-document.ts';

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

/** The smallest document that gives the same page, with a reference for its password. `spelled`: its items, in their order. */
function statusPageDocument(
  { settings, password }: Pick<StatusPageRow, 'settings' | 'password'>,
  spelled: readonly ItemReference[],
): { readonly document: SiteDocument; readonly references: readonly string[] } {
  const references = new References();
  const { slug, title, access, languages, words, colors, automatic } = settings;
  const items = itemsOf(settings);
  const document = {
    slug,
    title,
    ...differing({ access, languages }, { access: 'public', languages: ['en'] }),
    ...(password === null ? {} : { password: references.of('status page', slug, 'password') }),
    ...unlessDefault('words', words, noWords),
    ...unlessDefault('colors', colors, noColors),
    ...unlessDefault('automatic', automatic, draftsOnly),
    groups: settings.groups.map((group) => ({
      ...(group.name === '' ? {} : { name: group.name }),
      items: group.items.map((item) => ({ name: item.name, ...spelled[items.indexOf(item)] })),
    })),
  };
  return { document: { statusPage: document }, references: references.names };
}

function unlessDefault(name: string, value: object, initial: object): SiteDocument {
  const own = unlessEmpty(differing(value, initial));
  return own === undefined ? {} : { [name]: own };
}

import type { SiteState } from './site.ts';
import { withoutSecrets } from '../history/event.presenter.ts';
import { type ForeignChanges, whatOfCreation, whatOfField } from './foreign-changes.ts';
import type { PlannedSite } from './planned-site.ts';
import type { SiteChange } from './site-changes.ts';
import type { PlannedStatusPage } from './status-page-planner.ts';
import type { PlannedChangeAnswer, SitePlanAnswer, StatusPagePlanAnswer, UnlistedAnswer } from './site-files.api.ts';

export const presentPlan = (plan: PlannedSite, foreign: ForeignChanges, history: SitePlanAnswer['history']): SitePlanAnswer => ({
  key: plan.site.key,
  file: plan.file,
  projectId: plan.access === null ? null : plan.projectId,
  revision: plan.revision,
  action: plan.access === null ? 'create' : plan.changes.length > 0 ? 'change' : 'none',
  plan: plan.token,
  changes: plan.changes.map((change) => presentChange(change, foreign)),
  unlisted: plan.decision.unlisted.map((id) => presentUnlisted(plan.decision.after, id, foreign)),
  history,
  error: null,
});

export const presentPagePlan = (
  { file, page, row, changes, missing, token }: PlannedStatusPage,
  foreign: ForeignChanges,
): StatusPagePlanAnswer => ({
  slug: page.slug,
  file,
  pageId: row?.pageId ?? null,
  action: row === null ? 'create' : changes.length > 0 ? 'change' : 'none',
  plan: token,
  changes: changes.map((change) => presentChange(change, foreign)),
  missing,
  error: null,
});

export function presentChange(change: SiteChange, foreign: ForeignChanges): PlannedChangeAnswer {
  const { action, kind, id, name, fields } = change;
  const shown = fields.map(({ path, from, to }) => ({
    field: path,
    from: withoutSecrets(from),
    to: withoutSecrets(to),
    changedBy: action === 'change' ? foreign(whatOfField(change, path)) : null,
  }));
  return { action, kind, id, name, fields: shown };
}

function presentUnlisted([, { areas, checks }]: SiteState, id: string, foreign: ForeignChanges): UnlistedAnswer {
  const area = areas.get(id);
  const kind = area === undefined ? 'check' : 'group';
  const name = area?.name ?? checks.get(id)?.settings.name ?? '';
  return { kind, id, name, createdBy: foreign(whatOfCreation(kind, id)) };
}

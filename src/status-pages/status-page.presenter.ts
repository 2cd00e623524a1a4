import { type IncidentRow, stateOfIncident } from './incidents.view.ts';
import type { StatusPageRow } from './status-page.view.ts';
import { pageUrlOf } from './page/page-address.ts';
import { inUtc } from '../platform/http/presentation/answers.ts';
import type { IncidentAnswer, StatusPageAnswer } from './status-page.api.ts';

/** `origin`: of the service, without `/api`. */
export function presentStatusPage(
  { pageId, settings, hosts, password, createdAt, changedAt }: StatusPageRow,
  origin: string,
): StatusPageAnswer {
  const { slug, title, access, languages, groups, words, colors, automatic } = settings;
  return {
    id: pageId,
    slug,
    url: pageUrlOf({ slug, hosts }, origin),
    hosts,
    title,
    access,
    hasPassword: password !== null,
    languages,
    groups: groups.map(({ name, items }) => ({ name, items: items.map((item) => ({ name: item.name, [item.kind]: item.id })) })),
    words,
    colors,
    automatic,
    createdAt: inUtc(createdAt),
    changedAt: inUtc(changedAt),
  };
}

export function presentIncident(incident: IncidentRow): IncidentAnswer {
  const { incidentId, title, items, draft, draftedAt, publishedAt, isAutomatic, updates } = incident;
  return {
    id: incidentId,
    title,
    state: stateOfIncident(incident),
    draft: publishedAt === null,
    automatic: isAutomatic,
    text: draft?.text ?? null,
    items,
    draftedAt: inUtc(draftedAt),
    publishedAt: publishedAt === null ? null : inUtc(publishedAt),
    updates: updates.map(({ updateId, state, wordings }) => {
      const [first] = wordings;
      return {
        id: updateId,
        state,
        text: wordings.at(-1)?.text ?? '',
        at: inUtc(first?.at ?? 0),
        edits: wordings.slice(0, -1).map(({ text }, index) => ({ text, until: inUtc(wordings[index + 1]?.at ?? 0) })),
      };
    }),
  };
}

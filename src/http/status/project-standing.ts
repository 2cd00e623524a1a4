import { checkView } from '../../projections/check/check.view.ts';
import type { Views } from '../../projections/kit/views.ts';
import { type VerdictRow, verdictView } from '../../projections/verdict/verdict.view.ts';

export type Status = 'ok' | 'error' | 'timeout';

const badness: Readonly<Record<Status, number>> = { ok: 0, timeout: 1, error: 2 };

/** The worst of the enabled tests counts: error, then timeout, then ok (decisions.md, P7). Null before the first run. */
export const worst = (verdicts: readonly Pick<VerdictRow, 'status'>[]): Status | null =>
  verdicts.reduce<Status | null>((found, { status }) => (found === null || badness[status] > badness[found] ? status : found), null);

/** The verdicts that count for a project. */
export async function verdictsOf(views: Views, projectId: string): Promise<readonly VerdictRow[]> {
  const scope = `project-${projectId}`;
  const enabled = (await views.list(checkView, { scope })).filter(({ row }) => row.settings.enabled).map(({ key }) => key);
  const rows = await views.many(verdictView, enabled);
  return [...rows.values()];
}

import type { FailingStatus } from '../../../domain/verdict/verdict.events.ts';
import { defineView, scopeId } from '../../authoring/define-view.ts';

/** How the checks of a project stand, in one small row: what every answer about a project needs. */
export interface StandingRow {
  /** Each check is in one of these three. A disabled one keeps its verdict, which counts again when it is enabled. */
  readonly unjudged: readonly string[];
  readonly passing: readonly string[];
  readonly failing: Readonly<Record<string, FailingStatus>>;
  readonly disabled: readonly string[];
}

const nothing: StandingRow = { unjudged: [], passing: [], failing: {}, disabled: [] };

const without = (ids: readonly string[], id: string): readonly string[] => (ids.includes(id) ? ids.filter((other) => other !== id) : ids);

const gone = ({ unjudged, passing, failing, disabled }: StandingRow, id: string): StandingRow => ({
  unjudged: without(unjudged, id),
  passing: without(passing, id),
  failing: Object.fromEntries(Object.entries(failing).filter(([other]) => other !== id)),
  disabled: without(disabled, id),
});

/** Verdicts have streams of their own: that of a last run may stand after the deletion of its check. */
function judged(row: StandingRow | null, id: string, status: 'ok' | FailingStatus): StandingRow | null {
  if (row === null) return null;
  const { unjudged, passing, failing } = row;
  if (!unjudged.includes(id) && !passing.includes(id) && !Object.hasOwn(failing, id)) return row;
  const rest = { ...gone(row, id), disabled: row.disabled };
  return status === 'ok' ? { ...rest, passing: [...rest.passing, id] } : { ...rest, failing: { ...rest.failing, [id]: status } };
}

const switched = (row: StandingRow, id: string, on: boolean): StandingRow => ({
  ...row,
  disabled: on ? without(row.disabled, id) : [...without(row.disabled, id), id],
});

export const standingView = defineView<StandingRow>()({
  name: 'standing',
  version: 2,
  scope: 'project',
  key: scopeId,
  on: {
    ProjectCreated: () => nothing,
    ProjectDeleted: () => null,
    CheckCreated: (row, { data: { checkId, settings } }) =>
      row && switched({ ...row, unjudged: [...row.unjudged, checkId] }, checkId, settings.enabled),
    CheckSwitched: (row, { data }) => row && switched(row, data.checkId, data.to),
    CheckDeleted: (row, { data }) => row && gone(row, data.checkId),
    CheckPassed: (row, { data }) => judged(row, data.checkId, 'ok'),
    CheckRecovered: (row, { data }) => judged(row, data.checkId, 'ok'),
    CheckFailed: (row, { data }) => judged(row, data.checkId, data.failing.status),
    CheckFailureChanged: (row, { data }) => judged(row, data.checkId, data.to.status),
  },
});

/** The worst of the enabled checks counts: error, then timeout, then ok; null before the first run (docs/spec/decisions.md#P7). */
export function statusOf({ passing, failing, disabled }: StandingRow): 'ok' | FailingStatus | null {
  const counting = Object.entries(failing).filter(([id]) => !disabled.includes(id));
  if (counting.some(([, status]) => status === 'error')) return 'error';
  if (counting.length > 0) return 'timeout';
  return passing.some((id) => !disabled.includes(id)) ? 'ok' : null;
}

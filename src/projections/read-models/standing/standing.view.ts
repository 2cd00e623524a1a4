import type { FailingStatus } from '../../../domain/verdict/verdict.events.ts';
import { defineView, scopeId } from '../../authoring/define-view.ts';

/** The status of every check of a project in one small row, which every answer about a project reads. */
export interface StandingRow {
  /** Each check is in one of these three. A disabled check keeps its verdict, which counts again once it is enabled. */
  readonly unjudged: readonly string[];
  readonly passing: readonly string[];
  readonly failing: Readonly<Record<string, FailingStatus>>;
  readonly disabled: readonly string[];
}

const noChecks: StandingRow = { unjudged: [], passing: [], failing: {}, disabled: [] };

const without = (ids: readonly string[], id: string): readonly string[] => (ids.includes(id) ? ids.filter((other) => other !== id) : ids);

const withoutCheck = ({ unjudged, passing, failing, disabled }: StandingRow, id: string): StandingRow => ({
  unjudged: without(unjudged, id),
  passing: without(passing, id),
  failing: Object.fromEntries(Object.entries(failing).filter(([other]) => other !== id)),
  disabled: without(disabled, id),
});

/** Verdicts have their own streams, so one may follow the deletion of its check. */
function judged(row: StandingRow | null, id: string, status: 'ok' | FailingStatus): StandingRow | null {
  if (row === null) return null;
  const { unjudged, passing, failing } = row;
  if (!unjudged.includes(id) && !passing.includes(id) && !Object.hasOwn(failing, id)) return row;
  const rest = { ...withoutCheck(row, id), disabled: row.disabled };
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
    ProjectCreated: () => noChecks,
    ProjectDeleted: () => null,
    CheckCreated: (row, { data: { checkId, settings } }) =>
      row && switched({ ...row, unjudged: [...row.unjudged, checkId] }, checkId, settings.enabled),
    CheckSwitched: (row, { data }) => row && switched(row, data.checkId, data.to),
    CheckDeleted: (row, { data }) => row && withoutCheck(row, data.checkId),
    CheckPassed: (row, { data }) => judged(row, data.checkId, 'ok'),
    CheckRecovered: (row, { data }) => judged(row, data.checkId, 'ok'),
    CheckFailed: (row, { data }) => judged(row, data.checkId, data.failing.status),
    CheckFailureChanged: (row, { data }) => judged(row, data.checkId, data.to.status),
  },
});

/** The worst status of the enabled checks: error, then timeout, then ok; null before the first run (docs/spec/decisions.md#P7). */
export function projectStatus({ passing, failing, disabled }: StandingRow): 'ok' | FailingStatus | null {
  const counting = Object.entries(failing).filter(([id]) => !disabled.includes(id));
  if (counting.some(([, status]) => status === 'error')) return 'error';
  if (counting.length > 0) return 'timeout';
  return passing.some((id) => !disabled.includes(id)) ? 'ok' : null;
}

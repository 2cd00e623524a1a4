import type { FailingStatus } from '../../domain/verdict/verdict.events.ts';
import { defineView, scopeId } from '../kit/define-view.ts';

/** How the checks of a project stand, in one small row: what every answer about a project needs. */
export interface StandingRow {
  /** Checks with a verdict, by how it is. A disabled one keeps its verdict, which counts again when it is enabled. */
  readonly passing: readonly string[];
  readonly failing: Readonly<Record<string, FailingStatus>>;
  readonly disabled: readonly string[];
}

const nothing: StandingRow = { passing: [], failing: {}, disabled: [] };

const without = (ids: readonly string[], id: string): readonly string[] => (ids.includes(id) ? ids.filter((other) => other !== id) : ids);
const withId = (ids: readonly string[], id: string): readonly string[] => (ids.includes(id) ? ids : [...ids, id]);

const omit = (failing: StandingRow['failing'], id: string): StandingRow['failing'] =>
  Object.fromEntries(Object.entries(failing).filter(([other]) => other !== id));

const passes = (row: StandingRow, id: string): StandingRow => ({
  ...row,
  passing: withId(row.passing, id),
  failing: omit(row.failing, id),
});

const fails = (row: StandingRow, id: string, status: FailingStatus): StandingRow => ({
  ...row,
  passing: without(row.passing, id),
  failing: { ...row.failing, [id]: status },
});

export const standingView = defineView<StandingRow>()({
  name: 'standing',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: {
    ProjectCreated: () => nothing,
    ProjectDeleted: () => null,
    CheckCreated: (row, { data }) =>
      row === null || data.settings.enabled ? row : { ...row, disabled: withId(row.disabled, data.checkId) },
    CheckSwitched: (row, { data }) =>
      row && { ...row, disabled: data.to ? without(row.disabled, data.checkId) : withId(row.disabled, data.checkId) },
    CheckDeleted: (row, { data: { checkId } }) =>
      row && { passing: without(row.passing, checkId), failing: omit(row.failing, checkId), disabled: without(row.disabled, checkId) },
    CheckPassed: (row, { data }) => row && passes(row, data.checkId),
    CheckRecovered: (row, { data }) => row && passes(row, data.checkId),
    CheckFailed: (row, { data }) => row && fails(row, data.checkId, data.failing.status),
    CheckFailureChanged: (row, { data }) => row && fails(row, data.checkId, data.to.status),
  },
});

/** The worst of the enabled checks counts: error, then timeout, then ok; null before the first run (decisions.md, P7). */
export function statusOf({ passing, failing, disabled }: StandingRow): 'ok' | FailingStatus | null {
  const counting = Object.entries(failing).filter(([id]) => !disabled.includes(id));
  if (counting.some(([, status]) => status === 'error')) return 'error';
  if (counting.length > 0) return 'timeout';
  return passing.some((id) => !disabled.includes(id)) ? 'ok' : null;
}

import type { FailingStatus } from '../checker/verdicts/verdict.events.ts';
import { textColumn } from '../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../platform/read-models/authoring/define-view.ts';

/** The status of a check, in a row so small that a verdict costs the same in a project with one check and in one with thousands. */
export interface StandingRow {
  readonly projectId: string;
  /** Null before the first run. */
  readonly status: 'ok' | FailingStatus | null;
  /** A disabled check keeps its verdict, which counts again once it is enabled. */
  readonly enabled: boolean;
}

export type CountedStatus = 'ok' | FailingStatus | 'unknown' | 'disabled';

/** The value of `counts`. */
export const countedAs = (projectId: string, status: CountedStatus): string => `${projectId}/${status}`;

/** Verdicts have their own streams, so one may follow the deletion of its check. */
const judged = (row: StandingRow | null, status: 'ok' | FailingStatus): StandingRow | null =>
  row === null || row.status === status ? row : { ...row, status };

export const standingView = defineView<StandingRow>()({
  name: 'standing',
  version: 4,
  scope: 'project',
  key: ({ data }) => data.checkId,
  on: {
    CheckCreated: (_, event) => ({ projectId: scopeId(event), status: null, enabled: event.data.settings.enabled }),
    CheckSwitched: (row, { data }) => (row === null || row.enabled === data.to ? row : { ...row, enabled: data.to }),
    CheckDeleted: () => null,
    CheckPassed: (row) => judged(row, 'ok'),
    CheckRecovered: (row) => judged(row, 'ok'),
    CheckFailed: (row, { data }) => judged(row, data.failing.status),
    CheckFailureChanged: (row, { data }) => judged(row, data.to.status),
  },
  columns: {
    /** By project: what the status of the project is summarized from, and checks are counted and filtered by. */
    counts: textColumn(({ projectId, status, enabled }: StandingRow) => countedAs(projectId, enabled ? (status ?? 'unknown') : 'disabled')),
  },
});

/** The worst status of the enabled checks: error, then timeout, then ok; none before the first run (docs/spec/decisions.md#P7). */
export const STATUSES_WORST_FIRST = ['error', 'timeout', 'ok'] as const;
export type ProjectStatus = (typeof STATUSES_WORST_FIRST)[number] | null;

/** The status of the project with these checks. */
export function projectStatus(rows: Iterable<StandingRow>): ProjectStatus {
  let worst: ProjectStatus = null;
  for (const { status, enabled } of rows) {
    if (!enabled || status === null) continue;
    if (status === 'error') return 'error';
    if (worst !== 'timeout') worst = status;
  }
  return worst;
}

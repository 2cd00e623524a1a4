import type { Failing, RunEvidence } from './verdict.events.ts';
import { integerColumn, textColumn } from '../../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';

/** The current verdict of a check; a suspicion does not count yet. */
export interface VerdictRow {
  readonly checkId: string;
  readonly projectId: string;
  readonly status: 'ok' | 'error' | 'timeout';
  readonly failing: Failing | null;
  /** The start of the current status (ISO 8601): of a failure, its first failing run. */
  readonly since: string;
  readonly evidence: RunEvidence;
  /** The first failing run that is neither confirmed nor cleared yet. */
  readonly suspectedSince: string | null;
  /** It passed at least once: alerts are sent from then on. */
  readonly passed: boolean;
}

/** Prefixes of an area's rules in verdicts. */
const RULE_OF_AREA = /^(group|sign-in) /;

export const verdictView = defineView<VerdictRow>()({
  name: 'verdict',
  version: 2,
  scope: 'project',
  key: ({ data }) => data.checkId,
  on: {
    CheckPassed: (_, event) => ({
      checkId: event.data.checkId,
      projectId: scopeId(event),
      status: 'ok',
      failing: null,
      since: event.data.since,
      evidence: event.data.evidence,
      suspectedSince: null,
      passed: true,
    }),
    CheckSuspected: (row, { data }) => row && { ...row, suspectedSince: data.since },
    CheckSuspicionCleared: (row) => row && { ...row, suspectedSince: null },
    CheckInstabilityOpened: (row) => row && { ...row, suspectedSince: null },
    CheckFailed: (row, event) => ({
      checkId: event.data.checkId,
      projectId: scopeId(event),
      status: event.data.failing.status,
      failing: event.data.failing,
      since: event.data.since,
      evidence: event.data.evidence,
      suspectedSince: null,
      passed: row?.passed ?? false,
    }),
    CheckFailureChanged: (row, { data }) =>
      row && {
        ...row,
        status: data.to.status,
        failing: data.to,
        since: data.to.status === row.status ? row.since : data.since,
        evidence: data.evidence,
      },
    CheckRecovered: (row, { data }) =>
      row && { ...row, status: 'ok', failing: null, since: data.since, evidence: data.evidence, passed: true },
    CheckDeleted: () => null,
  },
  columns: {
    /** The project while a suspicion waits for its confirming run, so that a checker that takes over finds it. */
    suspected: textColumn(({ suspectedSince, projectId }: VerdictRow) => (suspectedSince === null ? null : projectId)),
    since: integerColumn(({ since }: VerdictRow) => Date.parse(since), { indexed: false }),
    /** The project, where a rule or the sign-in of the group failed. */
    of_group: textColumn(({ projectId, failing }: VerdictRow) =>
      failing?.rules.some((rule) => RULE_OF_AREA.test(rule)) ? projectId : null,
    ),
  },
  indexes: [['scope', 'since']],
});

import type { AreaEvents } from '../../projects/areas/area.events.ts';
import type { CheckEvents } from '../../projects/checks/check.events.ts';
import type { CorrectionEvents } from '../../checker/corrections/correction.events.ts';
import type { JobEvents } from '../../checker/jobs/job.events.ts';
import type { VerdictEvents } from '../../checker/verdicts/verdict.events.ts';
import { changed, changedPeriod, pluralized, type Sentences, switched } from './sentence.ts';

/** Large rules are not repeated by the event that replaces them: `from` is absent. */
function rulesChanged(from: readonly unknown[] | undefined, to: readonly unknown[]): string {
  const now = pluralized(to.length, 'rule');
  if (from === undefined) return `changed to ${now}`;
  return from.length === to.length ? `changed, still ${now}` : `changed from ${pluralized(from.length, 'rule')} to ${now}`;
}

export const areaSentences = {
  AreaCreated: ({ settings }) => `Group ${settings.name} created`,
  AreaRenamed: (data) => changed('Name of a group', data),
  AreaVisibilityChanged: ({ areaId, to }, names) => `Group ${names.area(areaId)} ${to ? 'made public' : 'put behind a sign-in'}`,
  AreaRulesChanged: ({ areaId, from, to }, names) => `Rules of group ${names.area(areaId)} ${rulesChanged(from?.flat(), to.flat())}`,
  AreaFormChanged: ({ areaId, to }, names) => `Sign-in form of group ${names.area(areaId)} ${to === null ? 'removed' : 'changed'}`,
  AreaSignInChanged: ({ areaId, to }, names) => `HTTP sign-in of group ${names.area(areaId)} ${to === null ? 'removed' : 'changed'}`,
  AreaPeriodChanged: ({ areaId, ...data }, names) => changedPeriod(`Period of group ${names.area(areaId)}`, data),
  AreaHeadersChanged: ({ areaId }, names) => `Extra headers of group ${names.area(areaId)} changed`,
  AreaKeyChanged: ({ areaId, ...data }, names) => changed(`Key of group ${names.area(areaId)} in site files`, data),
  AreaFormFirstFound: ({ areaId }, names) => `The sign-in form of group ${names.area(areaId)} was found for the first time`,
  AreaFormFoundChanged: ({ areaId }, names) => `The sign-in form of group ${names.area(areaId)} has changed since it was saved`,
  AreaDeleted: ({ name }) => `Group ${name} deleted`,
} satisfies Sentences<AreaEvents>;

export const checkSentences = {
  CheckCreated: ({ settings }) => `Check ${settings.name === '' ? '' : `${settings.name} `}created for ${settings.url}`,
  CheckRenamed: (data) => changed('Name of a check', data),
  CheckUrlChanged: ({ checkId, ...data }, names) => changed(`Address of check ${names.check(checkId)}`, data),
  CheckSwitched: ({ checkId, to }, names) => switched(`Check ${names.check(checkId)}`, to),
  CheckNoticeChanged: ({ checkId, ...data }, names) => changed(`Notice of check ${names.check(checkId)}`, data),
  CheckTypeChanged: ({ checkId, ...data }, names) => changed(`Type of check ${names.check(checkId)}`, data),
  CheckRulesChanged: ({ checkId, from, to }, names) => `Rules of check ${names.check(checkId)} ${rulesChanged(from, to)}`,
  CheckOptionsChanged: ({ checkId }, names) => `Options of check ${names.check(checkId)} changed`,
  CheckTemplateChanged: ({ checkId, ...data }, names) => changed(`Template of check ${names.check(checkId)}`, data),
  CheckKeyChanged: ({ checkId, ...data }, names) => changed(`Key of check ${names.check(checkId)} in site files`, data),
  CheckMoved: ({ checkId, from, to }, names) => `Check ${names.check(checkId)} moved from ${names.area(from)} to ${names.area(to)}`,
  CheckDeleted: ({ name, checkId }) => `Check ${name === '' ? checkId : name} deleted`,
} satisfies Sentences<CheckEvents>;

export const correctionSentences = {
  CheckCorrected: ({ checkId, from, to, reason, runs, judged, changed }, names) =>
    `Check ${names.check(checkId)} corrected from ${from} to ${to}: ${String(changed)} of ${pluralized(judged, 'judged run')} changed (${String(runs - judged)} not judgeable). ${reason}`,
} satisfies Sentences<CorrectionEvents>;

export const jobSentences = {
  JobRequested: ({ checkIds, areaId }, names) =>
    `${pluralized(checkIds.length, 'check')} started${areaId === null ? '' : ` in group ${names.area(areaId)}`}`,
  JobEnded: ({ total, failed, because }) =>
    because === 'given up' ? 'Job abandoned without progress' : `Job ended: ${pluralized(total, 'check')}, ${String(failed)} failed`,
} satisfies Sentences<JobEvents>;

export const verdictSentences = {
  CheckPassed: ({ checkId }, names) => `Check ${names.check(checkId)} passed for the first time`,
  CheckSuspected: ({ checkId, failing }, names) => `Check ${names.check(checkId)} may be failing: ${failing.failures[0] ?? failing.status}`,
  CheckSuspicionCleared: ({ checkId, failing }, names) =>
    `Check ${names.check(checkId)} is not failing: a second run did not confirm "${failing.failures[0] ?? failing.status}"`,
  CheckFailed: ({ checkId, failing }, names) => `Check ${names.check(checkId)} failed: ${failing.failures[0] ?? failing.status}`,
  CheckFailureChanged: ({ checkId, to }, names) => `Check ${names.check(checkId)} is failing differently: ${to.failures[0] ?? to.status}`,
  CheckRecovered: ({ checkId, failedSince }, names) => `Check ${names.check(checkId)} recovered after failing since ${failedSince}`,
  CheckInstabilityOpened: ({ checkId, unconfirmed }, names) =>
    `Check ${names.check(checkId)} is unstable: ${pluralized(unconfirmed, 'unconfirmed failure')} within an hour`,
  CheckInstabilityCounted: ({ checkId, unconfirmed }, names) =>
    `Check ${names.check(checkId)}: ${pluralized(unconfirmed, 'unconfirmed failure')} within the hour`,
  CheckInstabilityClosed: ({ checkId }, names) => `Check ${names.check(checkId)} is stable again`,
  CheckSkipped: ({ checkId, missing }, names) => `Check ${names.check(checkId)} was ${missing.reason}`,
  CheckResumed: ({ checkId }, names) => `Check ${names.check(checkId)} is run again`,
} satisfies Sentences<VerdictEvents>;

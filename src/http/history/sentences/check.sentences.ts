import type { AreaEvents } from '../../../domain/area/area.events.ts';
import type { CheckEvents } from '../../../domain/check/check.events.ts';
import type { CorrectionEvents } from '../../../domain/check/correction.events.ts';
import type { JobEvents } from '../../../domain/job/job.events.ts';
import type { VerdictEvents } from '../../../domain/verdict/verdict.events.ts';
import { changed, type Sentences, switched } from './sentence.ts';

const count = (number: number, noun: string): string => `${String(number)} ${noun}${number === 1 ? '' : 's'}`;

export const areaSentences = {
  AreaCreated: ({ settings }) => `Group ${settings.name} created`,
  AreaRenamed: (data) => changed('Name of the group', data),
  AreaVisibilityChanged: ({ areaId, to }, names) => `Group ${names.area(areaId)} is ${to ? 'public' : 'behind a sign-in'}`,
  AreaRulesChanged: ({ areaId, from, to }, names) =>
    `Rules of the group ${names.area(areaId)} changed from ${count(from.flat().length, 'rule')} to ${count(to.flat().length, 'rule')}`,
  AreaFormChanged: ({ areaId, to }, names) => `Sign-in form of the group ${names.area(areaId)} ${to === null ? 'removed' : 'changed'}`,
  AreaSignInChanged: ({ areaId, to }, names) => `HTTP sign-in of the group ${names.area(areaId)} ${to === null ? 'removed' : 'changed'}`,
  AreaPeriodChanged: ({ areaId, ...data }, names) => changed(`Period of the group ${names.area(areaId)}`, data),
  AreaHeadersChanged: ({ areaId }, names) => `Extra headers of the group ${names.area(areaId)} changed`,
  AreaFormFoundChanged: ({ areaId }, names) => `The sign-in form of the group ${names.area(areaId)} is not as it was saved`,
  AreaDeleted: ({ name }) => `Group ${name} deleted`,
} satisfies Sentences<AreaEvents>;

export const checkSentences = {
  CheckCreated: ({ settings }) => `Check ${settings.name === '' ? settings.url : settings.name} created for ${settings.url}`,
  CheckRenamed: (data) => changed('Name of the check', data),
  CheckUrlChanged: ({ checkId, ...data }, names) => changed(`Url of the check ${names.check(checkId)}`, data),
  CheckSwitched: ({ checkId, to }, names) => switched(`Check ${names.check(checkId)}`, to),
  CheckNoticeChanged: ({ checkId, ...data }, names) => changed(`Notice of the check ${names.check(checkId)}`, data),
  CheckTypeChanged: ({ checkId, ...data }, names) => changed(`Type of the check ${names.check(checkId)}`, data),
  CheckRulesChanged: ({ checkId, from, to }, names) =>
    `Rules of the check ${names.check(checkId)} changed from ${count(from.length, 'rule')} to ${count(to.length, 'rule')}`,
  CheckOptionsChanged: ({ checkId }, names) => `Options of the check ${names.check(checkId)} changed`,
  CheckTemplateChanged: ({ checkId, ...data }, names) => changed(`Template of the check ${names.check(checkId)}`, data),
  CheckMoved: ({ checkId, from, to }, names) => `Check ${names.check(checkId)} moved from ${names.area(from)} to ${names.area(to)}`,
  CheckDeleted: ({ name, checkId }) => `Check ${name === '' ? checkId : name} deleted`,
} satisfies Sentences<CheckEvents>;

export const correctionSentences = {
  CheckCorrected: ({ checkId, from, to, reason, runs, judged, changed }, names) =>
    `Check ${names.check(checkId)} corrected from ${from} to ${to}: ${String(changed)} of ${count(judged, 'judged run')} say something else (${String(runs - judged)} could not be judged). ${reason}`,
} satisfies Sentences<CorrectionEvents>;

export const jobSentences = {
  JobRequested: ({ checkIds, areaId }, names) =>
    `${count(checkIds.length, 'check')} started${areaId === null ? '' : ` in the group ${names.area(areaId)}`}`,
  JobEnded: ({ total, failed, because }) =>
    because === 'given up'
      ? 'The job was given up: nobody could run it'
      : `The job ended: ${count(total, 'check')}, ${String(failed)} failed`,
} satisfies Sentences<JobEvents>;

export const verdictSentences = {
  CheckPassed: ({ checkId }, names) => `Check ${names.check(checkId)} passed for the first time`,
  CheckSuspected: ({ checkId, failing }, names) => `Check ${names.check(checkId)} may be failing: ${failing.failures[0] ?? failing.status}`,
  CheckSuspicionCleared: ({ checkId, failing }, names) =>
    `Check ${names.check(checkId)} is well: a second run did not confirm "${failing.failures[0] ?? failing.status}"`,
  CheckFailed: ({ checkId, failing }, names) => `Check ${names.check(checkId)} failed: ${failing.failures[0] ?? failing.status}`,
  CheckFailureChanged: ({ checkId, to }, names) => `Check ${names.check(checkId)} now fails otherwise: ${to.failures[0] ?? to.status}`,
  CheckRecovered: ({ checkId, failedSince }, names) => `Check ${names.check(checkId)} recovered; it had failed since ${failedSince}`,
  CheckInstabilityOpened: ({ checkId, unconfirmed }, names) =>
    `Check ${names.check(checkId)} is unstable: ${count(unconfirmed, 'unconfirmed failure')} within an hour, counted from here on`,
  CheckInstabilityCounted: ({ checkId, unconfirmed }, names) =>
    `Check ${names.check(checkId)}: ${count(unconfirmed, 'unconfirmed failure')} within the hour`,
  CheckInstabilityClosed: ({ checkId }, names) => `Check ${names.check(checkId)} is calm again`,
} satisfies Sentences<VerdictEvents>;

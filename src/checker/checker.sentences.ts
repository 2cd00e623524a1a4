import type { CorrectionEvents } from './corrections/correction.events.ts';
import type { JobEvents } from './jobs/job.events.ts';
import type { ProbeEvents } from './probe.events.ts';
import type { VerdictEvents } from './verdicts/verdict.events.ts';
import { pluralized, type Sentences } from '../kernel/sentence.ts';

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

export const probeSentences = {
  ProbeStarted: ({ purpose, url, location, confirming }) =>
    `${confirming ? 'Confirming probe' : 'Probe'} of the ${purpose} of ${url} from ${location} started`,
  RunStarted: ({ checkId, location, confirming }, names) =>
    `${confirming ? 'Confirming run' : 'Scheduled run'} of check ${names.check(checkId)} from ${location} started`,
} satisfies Sentences<ProbeEvents>;

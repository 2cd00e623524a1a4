import type { Events } from '../../../src/events.ts';
import type { LogEvent } from '../../../src/kernel/event.ts';
import { HOUR, LARGEST_STEP, MINUTE, SECOND, TAKEN_MS } from '../time-limits.ts';
import type { FaultPeriods } from '../fault-periods.ts';
import type { Evidence } from './evidence.ts';
import { during } from './interval.ts';

interface Open {
  readonly request: Events['JobRequested'];
  readonly at: number;
}

export interface JobsKnown {
  readonly evidence: Evidence;
  readonly faultPeriods: FaultPeriods;
  readonly end: number;
}

/** The jobs of the greedy account take four rounds of its slow hosts. */
const PER_CHECK_MS = 4 * SECOND;
/** An hour without a result, until the sweeper comes by, which may find the store away once. */
const GIVEN_UP_MS = HOUR + 21 * MINUTE;

/** Every requested job ends exactly once and in time, and one group has one job at a time. Returns how many ended and how many were abandoned. */
export function jobsKept(
  events: readonly LogEvent[],
  known: JobsKnown,
  broken: (what: string) => void,
): { readonly ended: number; readonly givenUp: number } {
  const open = new Map<string, Open>();
  const over = new Set<string>();
  let givenUp = 0;
  for (const event of events) {
    const at = Date.parse(event.recordedAt);
    if (event.type === 'JobRequested') {
      const request = event.data as Events['JobRequested'];
      const other = [...open.values()].find((one) => one.request.areaId === request.areaId);
      if (other !== undefined) broken(`the job ${request.jobId} began while ${other.request.jobId} of its group was running`);
      open.set(request.jobId, { request, at });
    }
    if (event.type === 'JobEnded') {
      const ended = event.data as Events['JobEnded'];
      const began = open.get(ended.jobId);
      if (over.has(ended.jobId)) broken(`the job ${ended.jobId} ended twice`);
      over.add(ended.jobId);
      open.delete(ended.jobId);
      if (ended.because === 'given up') givenUp++;
      if (began !== undefined) judge(began, ended, at, known, broken);
    }
  }
  for (const { request, at } of open.values()) stillAlive(request.jobId, at, known.end, known, broken);
  return { ended: over.size, givenUp };
}

/** A job without progress is abandoned. */
function stillAlive(jobId: string, began: number, until: number, { evidence }: JobsKnown, broken: (what: string) => void): void {
  let last = began;
  for (const at of [...evidence.resultsOf(jobId).filter((result) => result < until), until]) {
    const quiet = at - last;
    if (quiet > GIVEN_UP_MS) broken(`the job ${jobId} was running for ${String(Math.round(quiet / MINUTE))} minutes without a result`);
    last = at;
  }
}

function judge(
  { request, at: began }: Open,
  ended: Events['JobEnded'],
  at: number,
  known: JobsKnown,
  broken: (what: string) => void,
): void {
  const { faultPeriods } = known;
  const inconclusive = during(
    faultPeriods.poisonings.filter(({ areaId }) => areaId === request.areaId),
    began,
    at,
    MINUTE,
  );
  const trouble = during(faultPeriods.absences, began - TAKEN_MS, at, TAKEN_MS);
  const steps = during(faultPeriods.steps, began, at, HOUR) > 0 ? LARGEST_STEP : 0;
  const lasted = at - began;
  stillAlive(request.jobId, began, at, known, broken);
  if (ended.because === 'given up') {
    if (inconclusive === 0 && trouble < HOUR - LARGEST_STEP) broken(`the job ${request.jobId} was abandoned without a fault`);
    if (lasted < HOUR) broken(`the job ${request.jobId} was abandoned after ${String(Math.round(lasted / MINUTE))} minutes`);
    return;
  }
  if (ended.total > request.checkIds.length) broken(`the job ${request.jobId} counted a check twice`);
  const own = request.checkIds.length * PER_CHECK_MS;
  if (lasted > 3 * MINUTE + own + trouble + steps + Math.min(HOUR, inconclusive))
    broken(`the job ${request.jobId} took ${String(Math.round(lasted / MINUTE))} minutes`);
}

import type { Events } from '../../../src/domain/events.ts';
import type { LogEvent } from '../../../src/kernel/event.ts';
import { during } from './interval.ts';
import { HOUR, LARGEST_STEP, MINUTE, TAKEN_MS } from '../limits.ts';
import type { Troubles } from '../troubles.ts';

interface Open {
  readonly request: Events['JobRequested'];
  readonly at: number;
}

/** Every job that was asked for ends exactly once, in time, and of one group only one is under way. */
export function jobsKept(events: readonly LogEvent[], troubles: Troubles, end: number, broken: (what: string) => void): number {
  const open = new Map<string, Open>();
  const over = new Set<string>();
  for (const event of events) {
    const at = Date.parse(event.recordedAt);
    if (event.type === 'JobRequested') {
      const request = event.data as Events['JobRequested'];
      const other = [...open.values()].find((one) => one.request.areaId === request.areaId);
      if (other !== undefined) broken(`the job ${request.jobId} began while ${other.request.jobId} of its group was under way`);
      open.set(request.jobId, { request, at });
    }
    if (event.type === 'JobEnded') {
      const ended = event.data as Events['JobEnded'];
      const began = open.get(ended.jobId);
      if (over.has(ended.jobId)) broken(`the job ${ended.jobId} ended twice`);
      over.add(ended.jobId);
      open.delete(ended.jobId);
      if (began !== undefined) judge(began, ended, at, troubles, broken);
    }
  }
  for (const [jobId, { at }] of open) if (end - at > 3 * HOUR) broken(`the job ${jobId} never ended`);
  return over.size;
}

function judge(
  { request, at: began }: Open,
  ended: Events['JobEnded'],
  at: number,
  troubles: Troubles,
  broken: (what: string) => void,
): void {
  const spoilt = during(
    troubles.poisonings.filter(({ areaId }) => areaId === request.areaId),
    began,
    at,
    MINUTE,
  );
  const trouble = during(troubles.absences, began - TAKEN_MS, at, TAKEN_MS);
  const steps = during(troubles.steps, began, at, HOUR) > 0 ? LARGEST_STEP : 0;
  const lasted = at - began;
  if (ended.because === 'given up') {
    const poisoned = troubles.poisonings.some((one) => one.areaId === request.areaId && one.from < at && one.to > began);
    if (!poisoned) broken(`the job ${request.jobId} was given up, and nothing kept anybody from it`);
    if (lasted < HOUR) broken(`the job ${request.jobId} was given up after ${String(Math.round(lasted / MINUTE))} minutes`);
    if (lasted > HOUR + 20 * MINUTE + trouble) broken(`the job ${request.jobId} was given up late`);
    return;
  }
  if (ended.total > request.checkIds.length) broken(`the job ${request.jobId} counted a check twice`);
  if (lasted > 3 * MINUTE + trouble + steps + Math.min(HOUR, spoilt))
    broken(`the job ${request.jobId} took ${String(Math.round(lasted / MINUTE))} minutes`);
}

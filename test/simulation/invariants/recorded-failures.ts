import type { Events } from '../../../src/events.ts';
import type { LogEvent } from '../../../src/kernel/event.ts';
import { changeOf } from '../sim-receiver.ts';
import type { Interval } from './interval.ts';
import { projectIdOf } from '../../../src/kernel/stream-names.ts';

/** A recorded failure, from the event that states it to the event that ends it. */
export interface Failure extends Interval {
  /** A check, or a project whose site is down. */
  readonly subject: string;
  /** When it began, as reported. */
  readonly since: number;
  /** The message that reports it; null when none is required. */
  readonly change: string | null;
}

/** The failures of checks and sites in the log. */
export function failuresIn(events: readonly LogEvent[]): readonly Failure[] {
  const all: Failure[] = [];
  const open = new Map<string, Failure>();
  const end = (subject: string, at: number): void => {
    const failure = open.get(subject);
    if (failure !== undefined) all.push({ ...failure, to: at });
    open.delete(subject);
  };
  const begin = (subject: string, from: number, since: string, change: string | null): void => {
    open.set(subject, { subject, from, to: Infinity, since: Date.parse(since), change });
  };
  for (const event of events) {
    const at = Date.parse(event.recordedAt);
    const projectId = projectIdOf(event.scope);
    if (event.type === 'CheckFailed') {
      const { checkId, since, confirmed } = event.data as Events['CheckFailed'];
      begin(checkId, at, since, confirmed ? changeOf('problem', projectId, { about: 'check', testId: checkId, since, until: null }) : null);
    } else if (event.type === 'CheckRecovered') end((event.data as Events['CheckRecovered']).checkId, at);
    else if (event.type === 'CheckDeleted') end((event.data as Events['CheckDeleted']).checkId, at);
    else if (event.type === 'UptimeWentDown') {
      const { since, before } = event.data as Events['UptimeWentDown'];
      const change = changeOf('problem', projectId, { about: 'uptime', testId: null, since, until: null });
      begin(projectId, at, since, before === 'unknown' ? null : change);
    } else if (event.type === 'UptimeWentUp') end(projectId, at);
  }
  return [...all, ...open.values()];
}

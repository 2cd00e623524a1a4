import { Injectable } from '@nestjs/common';
import type { EventType } from '../../events.ts';
import type { AvailabilityMethod, ServiceObjective } from '../../projects/objectives/objective.settings.ts';
import { maintenanceWithin } from '../../projects/maintenance/occurrences.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { justBefore, type TimeSpan } from '../../kernel/instants.ts';
import { Log } from '../../platform/log/log.ts';
import { LogSearcher } from '../../platform/log/search.ts';
import { methodsOf, utcDaysOf } from './compose.ts';
import { readFacts } from './facts.ts';
import { nodePlatform } from './node-platform.ts';

const PAGE = 5_000;
const END = Number.MAX_SAFE_INTEGER - 1;
/** Days are closed and failures recorded soon after; what comes later than this is searched for only where a day is missing. */
const SOON = 3 * 86_400_000;

const DAYS: readonly EventType[] = ['UptimeDayClosed', 'ResponseTimesDayClosed'];
const FAILURES: readonly EventType[] = ['UptimeWentDown', 'UptimeFailureChanged', 'UptimeWentUp'];
const UNCONFIRMED: readonly EventType[] = ['UptimeSuspicionCleared', 'UptimeInstabilityCounted'];

interface Range {
  readonly after: number;
  readonly until: number;
}

/** Finds the events that a statement stands on. */
@Injectable()
export class StatementEvidence {
  constructor(
    private readonly searcher: LogSearcher,
    private readonly log: Log,
  ) {}

  /** The last change of the objective before an instant; without one, the first that set it later and was not removed since. */
  async objective(projectId: string, before: number): Promise<LogEvent | null> {
    const until = await this.positionAt(before);
    const [last] = await this.find(projectId, ['ObjectiveSet', 'ObjectiveRemoved'], { after: -1, until }, 'desc', 1);
    if (last !== undefined) return last;
    const [removed] = await this.find(projectId, ['ObjectiveRemoved'], { after: until, until: END }, 'desc', 1);
    const [first] = await this.find(projectId, ['ObjectiveSet'], { after: removed?.n ?? until, until: END }, 'asc', 1);
    return first ?? null;
  }

  /** In log order. */
  async collect(projectId: string, span: TimeSpan, objective: LogEvent | null, asked: readonly string[]): Promise<readonly LogEvent[]> {
    const head = await this.log.head();
    const [after, soon] = await Promise.all([this.positionAt(span.from), this.positionAt(span.to + SOON)]);
    const near = { after, until: Math.min(head, soon) };
    const [days, failures, unconfirmed, windows, corrections] = await Promise.all([
      this.days(projectId, span, near, head),
      this.failures(projectId, near),
      methodsNeed(objective, asked) ? this.all(projectId, UNCONFIRMED, near) : [],
      this.windows(projectId, span, head),
      this.corrections(projectId, span, { after, until: head }),
    ]);
    const all = [...days, ...failures, ...unconfirmed, ...windows, ...corrections, ...(objective === null ? [] : [objective])];
    return [...new Map(all.map((event) => [event.n, event])).values()].sort((one, other) => one.n - other.n);
  }

  private async days(projectId: string, span: TimeSpan, near: Range, head: number): Promise<readonly LogEvent[]> {
    const wanted = new Set(utcDaysOf(span));
    const found = await this.all(projectId, DAYS, near);
    const closed = new Set(found.flatMap(({ type, data }) => (type === 'UptimeDayClosed' ? [dayOf(data)] : [])));
    const late = [...wanted].every((day) => closed.has(day)) ? [] : await this.all(projectId, DAYS, { after: near.until, until: head });
    return [...found, ...late].filter(({ data }) => wanted.has(dayOf(data)));
  }

  /** With the failure that lasts at the beginning of the span, if any. */
  private async failures(projectId: string, near: Range): Promise<readonly LogEvent[]> {
    const before = { after: -1, until: near.after };
    const [[last], within] = await Promise.all([this.find(projectId, FAILURES, before, 'desc', 1), this.all(projectId, FAILURES, near)]);
    return last === undefined || last.type === 'UptimeWentUp' ? within : [last, ...within];
  }

  private async windows(projectId: string, span: TimeSpan, head: number): Promise<readonly LogEvent[]> {
    const events = await this.all(projectId, ['MaintenanceScheduled', 'MaintenanceCancelled'], { after: -1, until: head });
    const { windows } = await readFacts(events, nodePlatform);
    const wanted = new Set(
      windows.filter((window) => maintenanceWithin([window], span).length > 0).flatMap(({ event, endEvent }) => [event, endEvent]),
    );
    return events.filter(({ id }) => wanted.has(id));
  }

  private async corrections(projectId: string, span: TimeSpan, range: Range): Promise<readonly LogEvent[]> {
    const events = await this.all(projectId, ['CheckCorrected'], range);
    const { corrections } = await readFacts(events, nodePlatform);
    const wanted = new Set(
      corrections.filter(({ from, to }) => Date.parse(from) < span.to && Date.parse(to) > span.from).map(({ event }) => event),
    );
    return events.filter(({ id }) => wanted.has(id));
  }

  private async all(projectId: string, types: readonly EventType[], range: Range): Promise<readonly LogEvent[]> {
    const events: LogEvent[] = [];
    for (let { after } = range; ;) {
      const page = await this.find(projectId, types, { ...range, after }, 'asc', PAGE);
      events.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return events;
      after = last.n;
    }
  }

  private find(
    projectId: string,
    types: readonly EventType[],
    { after, until }: Range,
    direction: 'asc' | 'desc',
    limit: number,
  ): Promise<readonly LogEvent[]> {
    return this.searcher.find({
      after,
      before: until + 1,
      types,
      direction,
      limit,
      scopes: [projectStream(projectId)],
      stream: null,
      actors: [],
    });
  }

  /** The last position that was recorded before an instant. */
  private positionAt(at: number): Promise<number> {
    return this.log.at(justBefore(new Date(at).toISOString()));
  }
}

const dayOf = (data: object): string => ('day' in data && typeof data.day === 'string' ? data.day : '');

/** Whether a method counts failures that nothing confirmed: only then their events are evidence. */
function methodsNeed(objective: LogEvent | null, asked: readonly string[]): boolean {
  // The type of the event says which data it has.
  const set = objective?.type === 'ObjectiveSet' ? (objective.data as ServiceObjective) : null;
  const methods: readonly AvailabilityMethod[] = methodsOf(set, asked);
  return methods.some(({ down }) => down.unconfirmed);
}

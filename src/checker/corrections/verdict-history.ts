import type pg from 'pg';
import { type LogEventOf, upcast } from '../../events.ts';
import { type VerdictChange, type VerdictInterval, verdictIntervals, within } from '../verdicts/timeline.ts';
import type { TimeSpan } from '../../kernel/instants.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { readLogRows } from '../../platform/event-store/log-rows.ts';
import type { Log } from '../../platform/log/log.ts';
import { VoidedEvents } from '../../platform/read-models/engine/voided-events.ts';
import { projectStream, verdictStream } from '../../kernel/stream-names.ts';

export interface VerdictsOfCheck {
  readonly projectId: string;
  readonly checkId: string;
  /** The `n` of the last event that counts. */
  readonly until: number;
}

const STATUS_EVENTS = ['CheckPassed', 'CheckFailed', 'CheckFailureChanged', 'CheckRecovered'] as const;
type StatusEvent = { [Type in (typeof STATUS_EVENTS)[number]]: LogEventOf<Type> }[(typeof STATUS_EVENTS)[number]];

const SWITCH_EVENTS = ['CheckCreated', 'CheckSwitched', 'CheckDeleted'] as const;
type SwitchEvent = { [Type in (typeof SWITCH_EVENTS)[number]]: LogEventOf<Type> }[(typeof SWITCH_EVENTS)[number]];

const PAGE = 1_000;

/** The verdicts that a check was given over a span, read from the log: the stream of its verdicts and that of its project. */
export class VerdictHistory {
  private readonly voided: VoidedEvents;

  constructor(
    private readonly pool: pg.Pool,
    log: Log,
  ) {
    this.voided = new VoidedEvents(log, { name: 'verdicts', signature: '' });
  }

  /** Time in which the check was disabled belongs to no verdict. */
  async within(query: VerdictsOfCheck, span: TimeSpan): Promise<readonly VerdictInterval[]> {
    if (!(span.from < span.to)) return [];
    await this.voided.refresh();
    return within(verdictIntervals(await this.changes(query, span), span), await this.enabledSpans(query, span));
  }

  private async changes({ checkId, until }: VerdictsOfCheck, span: TimeSpan): Promise<readonly VerdictChange[]> {
    const stream = verdictStream(checkId);
    const changes: VerdictChange[] = [];
    for await (const event of this.events(stream, STATUS_EVENTS, await this.revisionBefore(stream, span.from, until), until)) {
      // Read by these types.
      const change = changeOf(upcast(event) as StatusEvent);
      if (change.at >= span.to) break;
      changes.push(change);
    }
    return changes;
  }

  /** The revision before that of the verdict which held when the span began. */
  private async revisionBefore(stream: string, from: number, until: number): Promise<number> {
    const found = await readLogRows(this.pool, {
      name: 'verdict_before',
      rows: `SELECT * FROM log WHERE stream = $1 AND type = ANY ($2::text[]) AND recorded_at <= $3 AND n <= $4 ORDER BY revision DESC LIMIT 20`,
      values: [stream, STATUS_EVENTS, new Date(Math.max(from, 0)).toISOString(), until],
    });
    const last = found.find(({ n }) => !this.voided.has(n)) ?? found.at(-1);
    return last === undefined ? -1 : last.revision - 1;
  }

  /** A check without any switch event counts as enabled for ever. */
  private async enabledSpans({ projectId, checkId, until }: VerdictsOfCheck, span: TimeSpan): Promise<readonly TimeSpan[]> {
    const spans: TimeSpan[] = [];
    let since: number | null = -Infinity;
    for await (const event of this.events(projectStream(projectId), SWITCH_EVENTS, -1, until)) {
      // Read by these types.
      const switched = upcast(event) as SwitchEvent;
      if (switched.data.checkId !== checkId) continue;
      const at = Date.parse(event.meta.occurredAt);
      const enabled = isEnabled(switched);
      if (!enabled && since !== null) spans.push({ from: since, to: at });
      since = enabled ? (since ?? at) : null;
    }
    return since === null ? spans : [...spans, { from: since, to: span.to }];
  }

  /** Those that are not voided; within a stream, the order of revisions is the order of the log. */
  private async *events(stream: string, types: readonly string[], after: number, until: number): AsyncGenerator<LogEvent> {
    for (let revision = after; ;) {
      const page = await readLogRows(this.pool, {
        name: 'stream_of_types',
        rows: `SELECT * FROM log WHERE stream = $1 AND type = ANY ($2::text[]) AND revision > $3 AND n <= $4 ORDER BY revision LIMIT ${String(PAGE)}`,
        values: [stream, types, revision, until],
      });
      for (const event of page) if (!this.voided.has(event.n)) yield event;
      if (page.length < PAGE) return;
      revision = page.at(-1)?.revision ?? revision;
    }
  }
}

function changeOf({ type, data }: StatusEvent): VerdictChange {
  const at = Date.parse(data.since);
  switch (type) {
    case 'CheckPassed':
    case 'CheckRecovered':
      return { at, state: 'ok' };
    case 'CheckFailed':
      return { at, state: data.failing.status };
    case 'CheckFailureChanged':
      return { at, state: data.to.status };
  }
}

function isEnabled({ type, data }: SwitchEvent): boolean {
  switch (type) {
    case 'CheckCreated':
      return data.settings.enabled;
    case 'CheckSwitched':
      return data.to;
    case 'CheckDeleted':
      return false;
  }
}

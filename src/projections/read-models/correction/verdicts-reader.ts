import type pg from 'pg';
import { readLogRows } from '../../../log/log-rows.ts';
import type { LogEventOf } from '../../../domain/events.ts';
import { type Span, type VerdictChange, type VerdictInterval, verdictIntervals, within } from '../../../domain/verdict/timeline.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import type { Log } from '../../../log/log.ts';
import { asToday } from '../../authoring/define-view.ts';
import { VoidedEvents } from '../../engine/voided.ts';

export interface VerdictsOf {
  readonly projectId: string;
  readonly checkId: string;
  /** The `n` of the last event that counts. */
  readonly until: number;
}

type Told = { [Type in 'CheckPassed' | 'CheckFailed' | 'CheckFailureChanged' | 'CheckRecovered']: LogEventOf<Type> }[
  'CheckPassed' | 'CheckFailed' | 'CheckFailureChanged' | 'CheckRecovered'];

const TOLD = ['CheckPassed', 'CheckFailed', 'CheckFailureChanged', 'CheckRecovered'];
const PAGE = 1_000;

/** What the service said of a check over a span, read from the log itself: the streams of its verdicts and of its project. */
export class VerdictsReader {
  private readonly voided: VoidedEvents;

  constructor(
    private readonly pool: pg.Pool,
    log: Log,
  ) {
    this.voided = new VoidedEvents(log, { name: 'verdicts', signature: '' });
  }

  /** Time in which the check was off belongs to no verdict. */
  async within(asked: VerdictsOf, span: Span): Promise<readonly VerdictInterval[]> {
    if (!(span.from < span.to)) return [];
    await this.voided.refresh();
    return within(verdictIntervals(await this.changes(asked, span), span), await this.switchedOn(asked, span));
  }

  private async changes({ checkId, until }: VerdictsOf, span: Span): Promise<readonly VerdictChange[]> {
    const stream = `verdict-${checkId}`;
    const changes: VerdictChange[] = [];
    let after = await this.before(stream, span.from, until);
    for (;;) {
      const page = await this.next(stream, TOLD, after, until);
      for (const event of page) {
        if (this.voided.has(event.n)) continue;
        const change = changeOf(asToday(event) as Told);
        if (change.at >= span.to) return changes;
        changes.push(change);
      }
      after = page.at(-1)?.revision ?? after;
      if (page.length < PAGE) return changes;
    }
  }

  /** The revision before the one that held when the span began. */
  private async before(stream: string, from: number, until: number): Promise<number> {
    const found = await readLogRows(this.pool, {
      name: 'verdict_before',
      rows: `SELECT * FROM log WHERE stream = $1 AND type = ANY ($2::text[]) AND recorded_at <= $3 AND n <= $4 ORDER BY revision DESC LIMIT 20`,
      values: [stream, TOLD, new Date(Math.max(from, 0)).toISOString(), until],
    });
    const last = found.find(({ n }) => !this.voided.has(n)) ?? found.at(-1);
    return last === undefined ? -1 : last.revision - 1;
  }

  /** A check is on until it is switched off: the first switch tells what was before it, and where there is none, nothing changed. */
  private async switchedOn({ projectId, checkId, until }: VerdictsOf, span: Span): Promise<readonly Span[]> {
    const spans: Span[] = [];
    let since: number | null = -Infinity;
    for (let after = -1; ;) {
      const page = await this.next(`project-${projectId}`, ['CheckCreated', 'CheckSwitched', 'CheckDeleted'], after, until);
      for (const event of page) {
        const on = this.voided.has(event.n) ? null : isOn(asToday(event), checkId);
        if (on === null) continue;
        const at = Date.parse(event.meta.occurredAt);
        if (!on && since !== null) spans.push({ from: since, to: at });
        since = on ? (since ?? at) : null;
      }
      after = page.at(-1)?.revision ?? after;
      if (page.length < PAGE) break;
    }
    return since === null ? spans : [...spans, { from: since, to: span.to }];
  }

  /** In a stream, the order of revisions is the order of the log, and the index of streams finds them. */
  private next(stream: string, types: readonly string[], after: number, until: number): Promise<readonly LogEvent[]> {
    return readLogRows(this.pool, {
      name: 'stream_of_types',
      rows: `SELECT * FROM log WHERE stream = $1 AND type = ANY ($2::text[]) AND revision > $3 AND n <= $4 ORDER BY revision LIMIT ${String(PAGE)}`,
      values: [stream, types, after, until],
    });
  }
}

function changeOf({ type, data }: Told): VerdictChange {
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

/** Null: the event is about something else. */
function isOn(event: LogEvent, checkId: string): boolean | null {
  const { type, data } = event as LogEventOf<'CheckCreated'> | LogEventOf<'CheckSwitched'> | LogEventOf<'CheckDeleted'>;
  if (data.checkId !== checkId) return null;
  switch (type) {
    case 'CheckCreated':
      return data.settings.enabled;
    case 'CheckSwitched':
      return data.to;
    case 'CheckDeleted':
      return false;
  }
}

import { on, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CloseDay, RecordProbes } from '../../src/watches/observation.commands.ts';
import { noRecentProbes, observe, type RecentProbes } from '../../src/watches/uptime/recent-probes.ts';
import { ClosedBooks } from '../../src/platform/observations/closed-days/closed-books.ts';
import { utcDay } from '../../src/platform/observations/closed-days/day-intervals.codec.ts';
import { DAY, type Happening, MINUTE } from './happening.ts';
import type { Installation } from './installation.ts';
import type { ProbesWork } from './probes-thread.ts';
import { type DayOfSite, type DecidedProbe, LOCATION } from './site-probes.ts';

/** Days that the thread computes while the events of an earlier one are appended. */
const AHEAD = 4;

/** The probes of all sites: the decisions that they lead to, and the closing of each day. A thread of its own computes them. */
export class UptimeHistory {
  private readonly thread: Worker;
  private readonly books: ClosedBooks;
  private readonly recent = new Map<string, RecentProbes>();

  constructor(
    private readonly installation: Installation,
    private readonly work: ProbesWork,
  ) {
    this.thread = new Worker(new URL('./probes-thread.ts', import.meta.url), { workerData: work });
    this.books = new ClosedBooks(installation.parts.pool);
  }

  /** The UTC days from this one on, each with its events. */
  async *days(first: number): AsyncGenerator<{ readonly day: number; readonly happenings: readonly Happening[] }> {
    const ask = (day: number): void => {
      if (day < this.work.until) this.thread.postMessage(day);
    };
    for (let ahead = 0; ahead < AHEAD; ahead++) ask(first + ahead * DAY);
    let day = first;
    for await (const [sites] of on(this.thread, 'message') as AsyncIterable<[readonly DayOfSite[]]>) {
      ask(day + AHEAD * DAY);
      yield { day, happenings: this.happeningsOf(day, sites) };
      day += DAY;
      if (day >= this.work.until) return;
    }
  }

  /** Resolves once the samples that are kept are stored. */
  async close(): Promise<void> {
    const ended = once(this.thread, 'exit');
    this.thread.postMessage(null);
    await ended;
  }

  private happeningsOf(day: number, sites: readonly DayOfSite[]): readonly Happening[] {
    const at = day + 20 * MINUTE;
    const closing = sites.some(({ books }) => books !== null) ? [{ at, act: () => this.closeDay(utcDay(day - DAY), sites) }] : [];
    const decided = sites.flatMap(({ projectId, decided }) =>
      decided.map((probe) => ({ at: probe.at, act: () => this.decide(projectId, probe) })),
    );
    return [...closing.filter(({ at }) => at < this.work.until), ...decided];
  }

  private async decide(projectId: string, { probe, before, confirming }: DecidedProbe): Promise<void> {
    const recent = before === null ? (this.recent.get(projectId) ?? noRecentProbes) : observe(noRecentProbes, before);
    const context = this.installation.context({ kind: 'checker', id: LOCATION });
    const decided = await this.installation.execute(
      new RecordProbes(context, { recent, probes: [probe], origin: { projectId, confirming } }),
    );
    this.recent.set(projectId, decided.recent);
  }

  private async closeDay(day: string, sites: readonly DayOfSite[]): Promise<void> {
    const closed = sites.flatMap(({ projectId, books }) => (books === null ? [] : [{ projectId, ...books }]));
    const close = ({ projectId, uptime, responseTimes }: (typeof closed)[number]): Promise<unknown> => {
      const context = this.installation.context({ kind: 'reactor', id: 'day-closing' });
      return this.installation.execute(new CloseDay(context, { projectId, books: { uptime, responseTimes } }));
    };
    await Promise.all(closed.map(close));
    const marks = closed.map(({ projectId, uptime: { sha256 }, sketched }) => ({ projectId, sha256, buckets: Buffer.from(sketched) }));
    await this.books.mark(day, marks);
  }
}

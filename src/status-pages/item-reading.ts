import type pg from 'pg';
import type { StatusItem } from './status-page.settings.ts';
import { projectStream, verdictStream } from '../kernel/stream-names.ts';
import type { Log } from '../platform/log/log.ts';
import type { LogSearcher } from '../platform/log/search.ts';
import type { SampleReader } from '../platform/observations/samples/sample-store.ts';
import { checkView } from '../projects/checks/check.view.ts';
import { CorrectionReader } from '../checker/corrections/correction.reader.ts';
import { UptimeReader } from '../watches/uptime/uptime.reader.ts';
import { uptimeView } from '../watches/uptime/uptime.view.ts';
import { type VerdictRow, verdictView } from '../checker/verdicts/verdict.view.ts';
import type { Views, ViewsAt } from '../platform/read-models/views/views.ts';
import type { Interval } from '../platform/observations/samples/timeline.ts';
import { type ItemFacts, worstOf } from './item-status.ts';
import { type FirstRecorded } from './model.ts';
import { SILENT_AFTER, firstDayAt } from '../watches/uptime/shown-state.ts';

/** The instant that a page is read at. */
export interface PageInstant {
  readonly views: Views;
  readonly at: number;
  /** The views of now, when the instant is in the past; else null. */
  readonly present: Views | null;
}

export type KnownOfItem = Pick<ItemFacts, 'known' | 'current' | 'since' | 'recorded'>;

export const nothingKnown: KnownOfItem = { known: [], current: null, since: null, recorded: null };

/** Checks of a group whose verdicts are read; a page is refused with more (`StatusPageRights`). */
export const MOST_CHECKS = 100;

const inUptime = { ok: 'up', error: 'down', timeout: 'timeout' } as const;

interface ItemReadingParts {
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly samples: SampleReader;
  readonly searcher: LogSearcher;
}

/** What is known of one item: of a project the uptime of its site, of a group and a check the verdicts. */
export class ItemReading {
  constructor(private readonly parts: ItemReadingParts) {}

  read(item: StatusItem, instant: PageInstant): Promise<KnownOfItem> {
    return item.kind === 'project' ? this.ofSite(item, instant) : this.ofChecks(item, instant);
  }

  private async ofSite({ projectId }: StatusItem, { views, at, present }: PageInstant): Promise<KnownOfItem> {
    const uptimes = new UptimeReader(fixed(views), this.parts.samples);
    const [row, read] = await Promise.all([
      views.get(uptimeView, projectId),
      uptimes.knownIntervals(projectId, { from: firstDayAt(at), to: at, now: at, recordedUntil: present === null ? undefined : at }),
    ]);
    const known = present === null ? read : await this.withClosedDays(read, projectId, { present, at });
    if (row === null || row.state === 'unknown') return { ...nothingKnown, known };
    const isFailing = row.state !== 'up';
    const since = row.since === null ? null : Date.parse(row.since);
    if (!isFailing) return { known, current: 'working', since, recorded: null };
    return { known, current: 'failing', since, ...(await this.begun(projectId, views.position(), 'UptimeWentDown', null)) };
  }

  /** Samples are deleted, the days that they made are not: of a day that was open at the instant this is the part until then. */
  private async withClosedDays(
    known: readonly Interval[],
    projectId: string,
    { present, at }: { readonly present: Views; readonly at: number },
  ): Promise<readonly Interval[]> {
    const from = known.at(-1)?.to ?? firstDayAt(at);
    const isKept = at - from < SILENT_AFTER || (await this.parts.samples.outcomes(projectId, from, at)).length > 0;
    if (isKept) return known;
    const { closed } = await new UptimeReader(fixed(present), this.parts.samples).knownTime(projectId, { from, to: at, now: at });
    const later = closed
      .flatMap((day) => day.intervals())
      .map((one) => ({ ...one, from: Math.max(one.from, from), to: Math.min(one.to, at) }));
    return [...known, ...later.filter((one) => one.from < one.to)];
  }

  private async ofChecks({ kind, id, projectId }: StatusItem, instant: PageInstant): Promise<KnownOfItem> {
    const { views, at } = instant;
    const scope = projectStream(projectId);
    const checks =
      kind === 'check'
        ? [await views.get(checkView, id)].flatMap((row) => (row?.settings.enabled === true ? [row.id] : []))
        : (await views.list(checkView, { scope, where: { runs: { eq: id } }, order: { by: 'order' }, limit: MOST_CHECKS })).map(
            ({ key }) => key,
          );
    const verdicts = [...(await views.many(verdictView, checks)).values()];
    const reader = new CorrectionReader(fixed(views), this.parts.log, this.parts.pool);
    const request = { from: firstDayAt(at), to: at, now: at, offsetMinutes: 0, excluded: [] };
    const histories: Parameters<typeof worstOf>[0][number][] = [];
    // One after the other: a group has many checks.
    for (const checkId of kind === 'check' ? [id] : checks) {
      const { original } = await reader.checkUptime(projectId, checkId, request);
      histories.push(original.verdicts.map(({ from, to, state }) => ({ from, to, state: inUptime[state] })));
    }
    return { known: worstOf(histories), ...(await this.now(verdicts, projectId, views)) };
  }

  private async now(verdicts: readonly VerdictRow[], projectId: string, views: Views): Promise<Omit<KnownOfItem, 'known'>> {
    if (verdicts.length === 0) return { current: null, since: null, recorded: null };
    const instants = (rows: readonly VerdictRow[]): readonly number[] => rows.map(({ since }) => Date.parse(since));
    const failing = verdicts.filter(({ status }) => status !== 'ok').toSorted((one, other) => (one.since < other.since ? -1 : 1));
    const [first] = failing;
    if (first === undefined) return { current: 'working', since: Math.max(...instants(verdicts)), recorded: null };
    const begun = await this.begun(projectId, views.position(), 'CheckFailed', verdictStream(first.checkId));
    return { current: 'failing', since: Date.parse(first.since), ...begun };
  }

  /** Reads the beginning from the newest event of this type up to a position: a failure that has changed its kind since began earlier than its state. */
  private async begun(
    projectId: string,
    until: number,
    type: 'UptimeWentDown' | 'CheckFailed',
    stream: string | null,
  ): Promise<{ readonly since?: number; readonly recorded: FirstRecorded | null }> {
    const [event] = await this.parts.searcher.find({
      after: -1,
      before: until + 1,
      scopes: [projectStream(projectId)],
      types: [type],
      stream,
      actors: [],
      direction: 'desc',
      limit: 1,
    });
    if (event === undefined) return { recorded: null };
    const { since }: { readonly since?: unknown } = event.data;
    return { recorded: { n: event.n, at: Date.parse(event.recordedAt) }, ...(typeof since === 'string' && { since: Date.parse(since) }) };
  }
}

/** Readers of the present read these views instead. */
const fixed = (views: Views): ViewsAt => ({
  now: () => views,
  asOf: () => views,
  snapshot: (work) => work(views),
});

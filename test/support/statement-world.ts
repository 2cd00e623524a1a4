import { noObjective, type ServiceObjective } from '../../src/projects/objectives/objective.settings.ts';
import type { KnownState, StatementSpan } from '../../src/proof/statement/document.ts';
import { assembleStatement, type StatementLedger } from '../../src/proof/statement/statement-reading.ts';
import { readFacts } from '../../src/proof/statement/facts.ts';
import { nodePlatform } from '../../src/proof/statement/node-platform.ts';
import type { StatementFile } from '../../src/proof/statement/page/page-file.ts';
import type { LogEvent } from '../../src/kernel/event.ts';
import { packDay, utcDay } from '../../src/platform/observations/closed-days/day-intervals.codec.ts';
import { DAY_MS } from '../../src/kernel/time.ts';
import { packSketch } from '../../src/platform/observations/response-times/bucket.codec.ts';
import { Sketch } from '../../src/platform/observations/response-times/sketch.ts';
import { hashToText } from '../../src/client/proofs/merkle-tree.ts';
import { sampleEvents, sealed, signer } from './sealed-log.ts';

export const MONTH_START = Date.UTC(2026, 9, 1);
export const MONTH_END = Date.UTC(2026, 10, 1);
const HOUR = 3_600_000;
export const PROJECT = 'aaaaaaaaaaaaaaaaaaaaaaaa';

export const october: StatementSpan = {
  month: '2026-10',
  from: new Date(MONTH_START).toISOString(),
  to: new Date(MONTH_END).toISOString(),
  until: new Date(MONTH_END).toISOString(),
  offsetMinutes: 0,
};

export interface Outage {
  readonly from: number;
  readonly to: number;
  readonly state: Exclude<KnownState, 'up'>;
  readonly reason: string;
}

const evidence = (at: number, reason: string | null) => ({
  ...{ url: 'https://shop.example', at: new Date(at).toISOString(), location: 'eu', milliseconds: 12 },
  ...{ outcome: reason === null ? 'up' : 'down', httpStatus: reason === null ? 200 : 500, reason },
});

export interface WorldOptions {
  readonly outages: readonly Outage[];
  readonly objective?: ServiceObjective | null;
  readonly extra?: readonly { readonly at: number; readonly type: string; readonly data: object; readonly stream?: string }[];
}

/** The log of an October that was up apart from these outages, between the events of other projects. */
export function octoberLog({ outages, objective = noObjective, extra = [] }: WorldOptions): LogEvent[] {
  const events: { at: number; type: string; data: object; stream: string }[] = extra.map((one) => ({
    stream: `project-${PROJECT}`,
    ...one,
  }));
  if (objective !== null) events.push({ at: MONTH_START - HOUR, type: 'ObjectiveSet', data: objective, stream: `project-${PROJECT}` });
  for (const { from, to, state, reason } of outages) {
    const [since, stream] = [new Date(from).toISOString(), `uptime-${PROJECT}`];
    const down = { since, outcome: state, before: 'up', first: evidence(from, reason), evidence: evidence(from + 10_000, reason) };
    events.push({ at: from + 10_000, type: 'UptimeWentDown', data: down, stream });
    const up = { since: new Date(to).toISOString(), downSince: since, outcome: state, evidence: evidence(to, null) };
    events.push({ at: to, type: 'UptimeWentUp', data: up, stream });
  }
  for (let start = MONTH_START; start < MONTH_END; start += DAY_MS) {
    const end = start + DAY_MS;
    const intervals = stretches(outages, start, end);
    const sketch = new Sketch();
    for (let value = 1; value <= 1_440; value++) sketch.add(value);
    const head = { projectId: PROJECT, day: utcDay(start), samples: 1_440, sha256: '0'.repeat(64) };
    const packed = packDay(utcDay(start), intervals).toString('base64');
    const stream = `days-${PROJECT}-2026`;
    events.push({ at: end + HOUR, type: 'UptimeDayClosed', data: { ...head, intervals: packed }, stream });
    const times = { ...head, buckets: 'AAAA', sketch: packSketch(sketch).toString('base64') };
    events.push({ at: end + HOUR, type: 'ResponseTimesDayClosed', data: times, stream });
  }
  events.sort((one, other) => one.at - other.at);
  const revisions = new Map<string, number>();
  return sampleEvents(events.length * 2, 3).map((other, n) => {
    const own = n % 2 === 1 ? events[(n - 1) / 2] : undefined;
    if (own === undefined) return other;
    const { type, data, stream, at } = own;
    const revision = revisions.get(stream) ?? 0;
    revisions.set(stream, revision + 1);
    const recordedAt = `${new Date(at).toISOString().slice(0, -1)}000Z`;
    return { ...other, type, data, stream, revision, scope: `project-${PROJECT}`, recordedAt };
  });
}

function stretches(outages: readonly Outage[], start: number, end: number): { from: number; to: number; state: KnownState }[] {
  const intervals: { from: number; to: number; state: KnownState }[] = [];
  let at = start;
  for (const { from, to, state } of outages.filter((one) => one.from < end && one.to > start)) {
    if (from > at) intervals.push({ from: at, to: from, state: 'up' });
    intervals.push({ from: Math.max(from, at), to: Math.min(to, end), state });
    at = Math.min(to, end);
  }
  return at < end ? [...intervals, { from: at, to: end, state: 'up' }] : intervals;
}

/** With times that never go back, as the table of the log demands. */
export function inRecordedOrder(log: readonly LogEvent[]): readonly LogEvent[] {
  let recordedAt = '';
  return log.map((event) => {
    if (event.recordedAt > recordedAt) ({ recordedAt } = event);
    return { ...event, recordedAt };
  });
}

export const ledgerOf = (log: readonly LogEvent[]): StatementLedger => {
  const { tree, checkpoint } = sealed(log);
  return {
    covering: () => Promise.resolve({ note: checkpoint.note, size: checkpoint.size, isCosigned: true }),
    prove: async (positions) => ({
      checkpoint: checkpoint.note,
      paths: (await tree.inclusions(positions, checkpoint.size)).map((path) => path.map(hashToText)),
    }),
    signers: () => Promise.resolve([signer]),
  };
};

/** The signed statement of that October. */
export const octoberStatement = async (log: readonly LogEvent[]): Promise<string> => (await octoberFile(log)).text;

/** With the page around it. */
export async function octoberFile(log: readonly LogEvent[], verifier = ''): Promise<StatementFile> {
  const events = log.filter(({ scope }) => scope === `project-${PROJECT}`);
  const project = { id: PROJECT, title: 'Shop <b>&amp;</b>', url: 'https://shop.example' };
  const request = {
    project,
    span: october,
    asked: [],
    edition: null,
    measured: new Map(),
    generatedAt: '2026-11-02T00:00:00.000Z',
    events,
  };
  const ledger = ledgerOf(log);
  const checkpoint = await ledger.covering(log.length - 1, 'cosigned');
  return assembleStatement({ ...request, checkpoint, verifier, facts: await readFacts(events, nodePlatform) }, ledger, nodePlatform);
}

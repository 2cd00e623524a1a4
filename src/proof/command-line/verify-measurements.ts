import type pg from 'pg';
import type { DaysEvents } from '../../watches/days/days.events.ts';
import { LogSearcher } from '../../platform/log/search.ts';
import { startOfDay } from '../../platform/observations/closed-days/day-intervals.codec.ts';
import { DAY_MS } from '../../kernel/time.ts';
import { DayPartitions } from '../../platform/observations/packs/day-partitions.ts';
import { ExchangeStore } from '../../platform/observations/exchanges/exchange-store.ts';
import type { PageBodies } from '../../platform/observations/pages/page-bodies.ts';
import { KeptPages } from '../../platform/observations/pages/kept-pages.ts';
import { PostgresSamples } from '../../platform/observations/samples/postgres-samples.ts';
import { type ObservationPool, type ObservationSchema, schemasOf } from '../../platform/observations/schemas.ts';
import type { Sample } from '../../platform/observations/samples/sample.ts';
import { samplesHash } from '../../watches/days/day-books.ts';
import { reasonOf } from '../../kernel/system-error.ts';

export interface MeasurementFinding {
  readonly kind: 'measurements' | 'page' | 'exchange';
  readonly message: string;
  readonly project?: string;
  readonly day?: string;
  /** The id of the event that closed the day. */
  readonly event?: string;
  /** SHA-256. */
  readonly page?: string;
  /** SHA-256. */
  readonly exchange?: string;
}

export type Measured =
  | { readonly kind: 'intact'; readonly days: number; readonly letGo: number; readonly pages: number; readonly exchanges: number }
  | { readonly kind: 'tampered'; readonly finding: MeasurementFinding };

type Closed = DaysEvents['UptimeDayClosed'];

const PAGE = 500;

/** Verifies the measurements beside the log: the probes of each day against the hash in the event that closed it, each kept page and exchange against its hash. */
export async function verifyMeasurements(
  pool: pg.Pool,
  observationPool: ObservationPool = pool,
  bodies: PageBodies | null = null,
): Promise<Measured> {
  const samples = new PostgresSamples(observationPool);
  const kept = new KeptDays(observationPool);
  let [days, letGo] = [0, 0];
  for await (const { id, data } of closedDays(pool)) {
    // Retention drops whole days, with the measurements of all projects.
    if (!(await kept.has(data.projectId, data.day))) {
      letGo++;
      continue;
    }
    days++;
    const problem = await problemOf(samples, data);
    if (problem === null) continue;
    const { projectId: project, day } = data;
    const message = `the measurements of project ${project} on ${day} do not match event ${id}: ${problem}`;
    return { kind: 'tampered', finding: { kind: 'measurements', message, project, day, event: id } };
  }
  const { pages, wrong: page } = await new KeptPages(observationPool, bodies).verify();
  if (page !== null) return { kind: 'tampered', finding: { kind: 'page', message: `the page ${page} does not match its hash`, page } };
  const { exchanges, wrong } = await new ExchangeStore(observationPool).verify();
  if (wrong === null) return { kind: 'intact', days, letGo, pages, exchanges };
  const { project, sha256: exchange } = wrong;
  const message = `the exchange ${exchange} of project ${project} does not match its hash, or its page is another one`;
  return { kind: 'tampered', finding: { kind: 'exchange', message, project, exchange } };
}

/** The days of which a project may have measurements. */
class KeptDays {
  private readonly bySchema = new Map<ObservationSchema, ReadonlySet<string>>();

  constructor(private readonly pool: ObservationPool) {}

  async has(projectId: string, day: string): Promise<boolean> {
    const schema = schemasOf(this.pool).ofProject(projectId);
    const days = this.bySchema.get(schema) ?? new Set(await new DayPartitions(this.pool, 'sample').days([schema]));
    this.bySchema.set(schema, days);
    return days.has(day);
  }
}

async function* closedDays(pool: pg.Pool): AsyncGenerator<{ readonly id: string; readonly data: Closed }> {
  const search = { before: Number.MAX_SAFE_INTEGER, scopes: null, types: ['UptimeDayClosed'], stream: null, actors: [] } as const;
  for (let after = -1; ;) {
    const events = await new LogSearcher(pool).find({ ...search, after, direction: 'asc', limit: PAGE });
    // Cast: the event type fixes the type of its data, and the seal shows that the data are unchanged.
    for (const { id, data } of events) yield { id, data: data as Closed };
    const last = events.at(-1);
    if (last === undefined) return;
    after = last.n;
  }
}

async function problemOf(samples: PostgresSamples, { projectId, day, samples: count, sha256 }: Closed): Promise<string | null> {
  let measured: readonly Sample[];
  try {
    measured = await samples.between(projectId, startOfDay(day), startOfDay(day) + DAY_MS);
  } catch (error) {
    return reasonOf(error);
  }
  if (measured.length !== count) return `${String(measured.length)} probes are stored, ${String(count)} were closed`;
  return samplesHash(measured) === sha256 ? null : 'a probe was changed';
}

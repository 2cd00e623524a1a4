import type { UptimeSample } from '../../domain/uptime/timeline.ts';
import { BatchedLists } from '../../persistence/batched-lists.ts';
import { DAY, utcDay } from '../closed-days/day-intervals.codec.ts';
import { inflatePack } from '../codec/bytes.ts';
import { formerSlotOf, HOUR, hourOf, idBytes, idText, slotOf } from '../packs/pack-kind.ts';
import { foundOf, holdsProject, packsIn } from '../packs/pack-reader.ts';
import { type ObservationDb, type ObservationSchema, perSchema, schemasOf } from '../schemas.ts';
import { firstWhole, HALF_HOUR, type HalfHour, halfHoursFrom, type HourSummary, hourSummaryOf, unpackSummary } from './hour-summary.ts';
import { unpackSamples } from './sample.codec.ts';
import { inTimeOrder, type Sample } from './sample.ts';

const STEPS = DAY / HALF_HOUR;
/** More than a day, so that it contains yesterday until that is closed. */
const EARLIER_HOURS = 2;
/** The samples of this time are read, because a part of them is not compacted yet. */
const UNCOMPACTED_MS = 900_000;

/** The last hours of a site. */
export interface RecentHours {
  /** Nothing earlier is summarized. */
  readonly from: number;
  /** Outcomes that have the timeline of the samples since `from`. */
  readonly stretches: readonly UptimeSample[];
  /** The median response times of the half hours since `stepsFrom`. */
  readonly medians: readonly (number | null)[];
  readonly stepsFrom: number;
  /** Whether the buckets of the day in which the half hours begin are kept, as they are once it is closed. */
  readonly isBookKept: boolean;
}

interface Wanted {
  readonly fromHour: number;
  /** Samples from this hour on, summaries before. */
  readonly samplesFrom: number;
  readonly day: string;
}

interface SummaryRow {
  readonly project_id: Buffer;
  readonly kind: 'hours' | 'flush' | 'book';
  /** As in a `PackRow`. */
  readonly found: number | null;
  readonly ids: Buffer | null;
  readonly packed: Buffer | null;
}

/** An hour in one of two forms. */
interface StoredHour {
  readonly hour: number;
  readonly summary: HourSummary | null;
  readonly packed: Uint8Array | null;
}

/** The first byte of a stored hour. */
const [SUMMARY, PACKED] = [1, 0];

/** All hours of a project in one row: hour, size of its samples, form, length and bytes. */
const textOf = (hours: string, flushes: string, books: string): string => `
  SELECT project_id, 'hours' AS kind, NULL::int AS found, NULL::bytea AS ids, string_agg(
    int4send(hour) || int4send(octet_length(packed)) || CASE WHEN summary IS NULL OR hour >= $3
      THEN '\\x00' || int4send(octet_length(packed)) || packed ELSE '\\x01' || int4send(octet_length(summary)) || summary END, ''::bytea) AS packed
  FROM ${hours} WHERE project_id = ANY ($1::bytea[]) AND hour >= $2 GROUP BY project_id
  UNION ALL
  SELECT wanted.project_id, 'flush', ${foundOf('wanted.project_id')}, packed
  FROM (SELECT * FROM ${flushes} WHERE slot = ANY ($6::smallint[]) AND last_at >= $2::bigint * ${String(HOUR)} ORDER BY id OFFSET 0) AS flush
  JOIN unnest($5::bytea[], $6::smallint[]) AS wanted (project_id, slot) USING (slot) WHERE ${holdsProject('wanted.project_id')}
  UNION ALL
  SELECT project_id, 'book', NULL, NULL, NULL FROM ${books} WHERE project_id = ANY ($1::bytea[]) AND day = $4 AND buckets IS NOT NULL`;

/** Reads the last day of many sites without unpacking it: of each compacted hour its summary, and the samples of the rest. */
export class SummarizedHours {
  private readonly texts: (schema: ObservationSchema) => string;
  private readonly lists = new BatchedLists<Wanted, SummaryRow>(
    (ids, wanted) => this.rowsOf(ids, wanted),
    ({ project_id }) => idText(project_id),
  );

  constructor(private readonly db: ObservationDb) {
    this.texts = perSchema((schema) => textOf(schema.table('sample_hour'), schema.table('sample_flush'), schema.table('closed_book')));
  }

  /** Null if the summary of an hour lacks samples: they are not compacted yet, or a former version has compacted them. */
  async until(projectId: string, at: number): Promise<RecentHours | null> {
    const stepsFrom = halfHoursFrom(at);
    const fromHour = hourOf(stepsFrom) - EARLIER_HOURS;
    const day = utcDay(firstWhole(stepsFrom));
    const rows = await this.lists.load(projectId, { fromHour, samplesFrom: hourOf(at - UNCOMPACTED_MS), day });
    const hours = summariesOf(rows, idBytes(projectId), at);
    if (hours === null) return null;
    return {
      ...{ from: fromHour * HOUR, stepsFrom, stretches: hours.flatMap(([, { stretches }]) => stretches) },
      medians: mediansOf(hours, stepsFrom),
      isBookKept: rows.some(({ kind }) => kind === 'book'),
    };
  }

  /** One statement for each schema. */
  private async rowsOf(projectIds: readonly string[], wanted: Wanted): Promise<readonly SummaryRow[]> {
    const schemas = schemasOf(this.db);
    const groups = [...schemas.group(projectIds, (id) => schemas.ofProject(id))];
    return (await Promise.all(groups.map(([schema, ids]) => this.rowsIn(schema, ids, wanted)))).flat();
  }

  private async rowsIn(schema: ObservationSchema, projectIds: readonly string[], wanted: Wanted): Promise<readonly SummaryRow[]> {
    const { fromHour, samplesFrom, day } = wanted;
    const ids = projectIds.map(idBytes);
    const { rows } = await this.db.query<SummaryRow>({
      name: schema.statement('sample_summaries'),
      text: this.texts(schema),
      values: [ids, fromHour, samplesFrom, day, [...ids, ...ids], [...projectIds.map(slotOf), ...projectIds.map(formerSlotOf)]],
    });
    return rows;
  }
}

/** In the order of time. */
type Hours = readonly (readonly [hour: number, summary: HourSummary])[];

function summariesOf(rows: readonly SummaryRow[], projectId: Buffer, at: number): Hours | null {
  const stored = new Map(rows.flatMap((row) => (row.kind === 'hours' ? storedHours(row.packed) : [])).map((found) => [found.hour, found]));
  const flushed = flushedHours(rows, projectId);
  const summaries: (readonly [number, HourSummary])[] = [];
  for (const hour of [...new Set([...stored.keys(), ...flushed.keys()])].sort((one, other) => one - other)) {
    const { summary = null, packed = null } = stored.get(hour) ?? {};
    const late = flushed.get(hour) ?? [];
    const isSummarized = stored.has(hour) && packed === null;
    if (isSummarized && (summary === null || late.length > 0)) return null;
    const samples = (): readonly Sample[] => inTimeOrder([...(packed === null ? [] : unpackSamples(inflatePack(packed))), ...late]);
    summaries.push([hour, summary ?? summaryUntil(hour, samples(), at)]);
  }
  return summaries;
}

/** A clock that runs fast makes samples of the future: their response times are not reported yet, but they confirm those before. */
function summaryUntil(hour: number, samples: readonly Sample[], at: number): HourSummary {
  const summary = hourSummaryOf(hour, samples);
  const past = samples.filter((sample) => sample.at < at);
  return past.length === samples.length ? summary : { ...summary, halves: hourSummaryOf(hour, past).halves };
}

function storedHours(framed: Buffer | null): readonly StoredHour[] {
  const hours: StoredHour[] = [];
  for (let at = 0; framed !== null && at < framed.length;) {
    const [hour, packedBytes, form, length] = [
      framed.readInt32BE(at),
      framed.readInt32BE(at + 4),
      framed[at + 8],
      framed.readInt32BE(at + 9),
    ];
    const bytes = framed.subarray(at + 13, at + 13 + length);
    at += 13 + length;
    if (form === PACKED) hours.push({ hour, summary: null, packed: bytes });
    else if (form === SUMMARY) hours.push({ hour, summary: unpackSummary(hour, bytes, packedBytes), packed: null });
  }
  return hours;
}

function flushedHours(rows: readonly SummaryRow[], projectId: Buffer): ReadonlyMap<number, readonly Sample[]> {
  const hours = new Map<number, Sample[]>();
  for (const { kind, found, ids, packed } of rows) {
    if (kind !== 'flush' || packed === null) continue;
    for (const pack of packsIn({ found, ids, packed }, projectId))
      for (const sample of unpackSamples(pack)) {
        const known = hours.get(hourOf(sample.at));
        if (known === undefined) hours.set(hourOf(sample.at), [sample]);
        else known.push(sample);
      }
  }
  return hours;
}

function mediansOf(hours: Hours, stepsFrom: number): readonly (number | null)[] {
  const medians = Array.from({ length: STEPS }, (): number | null => null);
  for (const [hour, { halves }] of hours)
    halves.forEach(({ median, medianOfWhole }: HalfHour, half) => {
      const step = (hour * HOUR - stepsFrom) / HALF_HOUR + half;
      if (step >= 0 && step < STEPS) medians[step] = step === 0 ? medianOfWhole : median;
    });
  return medians;
}

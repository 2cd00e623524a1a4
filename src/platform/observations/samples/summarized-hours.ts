import type { UptimeSample } from './timeline.ts';
import { BatchedLists } from '../../postgres/batched-lookup.ts';
import { utcDay } from '../closed-days/day-intervals.codec.ts';
import { DAY_MS, HOUR_MS } from '../../../kernel/time.ts';
import { inflatePack } from '../codec/bytes.ts';
import { formerSlotOf, hourOf, idBytes, idText, slotOf } from '../packs/pack-kind.ts';
import { foundOf, holdsProject, packsIn } from '../packs/pack-reader.ts';
import { type ObservationDb, type ObservationSchema, perSchema, schemasOf } from '../schemas.ts';
import { firstWhole, HALF_HOUR, type HalfHour, halfHoursFrom, type HourSummary, hourSummaryOf, unpackSummary } from './hour-summary.ts';
import { unpackSamples } from './sample.codec.ts';
import { inTimeOrder, type Sample } from './sample.ts';

const STEPS = DAY_MS / HALF_HOUR;
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

/** All hours or flushes of a project in one row, because the driver decodes each row for itself. */
interface SummaryRow {
  readonly project_id: Buffer;
  readonly kind: 'hours' | 'flushes' | 'book';
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
const NOTHING = Buffer.alloc(0);

const framed = (bytes: string): string => `int4send(octet_length(${bytes})) || ${bytes}`;

/**
 * Selects of each hour its number, the size of its samples, the form and the bytes; of each flush, in their order, where it holds the project, the
 * directory where that is needed, and the bytes.
 */
const textOf = (hours: string, flushes: string, books: string): string => `
  SELECT project_id, 'hours' AS kind, string_agg(
    int4send(hour) || int4send(octet_length(packed)) ||
    CASE WHEN summary IS NULL OR hour >= $3 THEN '\\x00' || ${framed('packed')} ELSE '\\x01' || ${framed('summary')} END, ''::bytea) AS packed
  FROM ${hours} WHERE project_id = ANY ($1::bytea[]) AND hour >= $2 GROUP BY project_id
  UNION ALL
  SELECT project_id, 'flushes', string_agg(int4send(found) || ${framed("coalesce(ids, '')")} || ${framed('packed')}, ''::bytea ORDER BY id)
  FROM (
    SELECT project_id, id, ${foundOf('project_id')}, packed FROM ${flushes} JOIN unnest($5::bytea[], $6::smallint[]) AS wanted (project_id, slot) USING (slot)
    WHERE last_at >= $2::bigint * ${String(HOUR_MS)} AND ${holdsProject('project_id')}
  ) AS flush GROUP BY project_id
  UNION ALL
  SELECT project_id, 'book', NULL FROM ${books} WHERE project_id = ANY ($1::bytea[]) AND day = $4 AND buckets IS NOT NULL`;

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
      from: fromHour * HOUR_MS,
      stepsFrom,
      stretches: hours.flatMap(([, { stretches }]) => stretches),
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
  const packedOf = (kind: SummaryRow['kind']): Buffer | null => rows.find((row) => row.kind === kind)?.packed ?? null;
  const flushed = flushedHours(packedOf('flushes'), projectId);
  const summaries: [number, HourSummary][] = [];
  for (const { hour, summary, packed } of storedHours(packedOf('hours'))) {
    const late = flushed.get(hour) ?? [];
    flushed.delete(hour);
    if (packed !== null) summaries.push([hour, summaryUntil(hour, [...unpackSamples(inflatePack(packed)), ...late], at)]);
    else if (summary === null || late.length > 0) return null;
    else summaries.push([hour, summary]);
  }
  for (const [hour, samples] of flushed) summaries.push([hour, summaryUntil(hour, samples, at)]);
  return summaries.sort(([one], [other]) => one - other);
}

/** A clock that runs fast makes samples of the future: their response times are not reported yet, but they confirm those before. */
function summaryUntil(hour: number, unordered: readonly Sample[], at: number): HourSummary {
  const samples = inTimeOrder(unordered);
  const summary = hourSummaryOf(hour, samples);
  const past = samples.filter((sample) => sample.at < at);
  return past.length === samples.length ? summary : { ...summary, halves: hourSummaryOf(hour, past).halves };
}

/** Reads what `textOf` frames. */
class Frames {
  private at = 0;

  constructor(private readonly buffer: Buffer) {}

  get ended(): boolean {
    return this.at >= this.buffer.length;
  }

  byte(): number {
    return this.buffer.readUInt8(this.at++);
  }

  integer(): number {
    this.at += 4;
    return this.buffer.readInt32BE(this.at - 4);
  }

  bytes(): Buffer {
    const length = this.integer();
    this.at += length;
    return this.buffer.subarray(this.at - length, this.at);
  }
}

function storedHours(packed: Buffer | null): readonly StoredHour[] {
  const hours: StoredHour[] = [];
  const frames = new Frames(packed ?? NOTHING);
  while (!frames.ended) {
    const [hour, packedBytes, form, bytes] = [frames.integer(), frames.integer(), frames.byte(), frames.bytes()];
    if (form === PACKED) hours.push({ hour, summary: null, packed: bytes });
    else if (form === SUMMARY) hours.push({ hour, summary: unpackSummary(hour, bytes, packedBytes), packed: null });
  }
  return hours;
}

function flushedHours(packed: Buffer | null, projectId: Buffer): Map<number, Sample[]> {
  const hours = new Map<number, Sample[]>();
  const frames = new Frames(packed ?? NOTHING);
  while (!frames.ended) {
    const [found, ids, flush] = [frames.integer(), frames.bytes(), frames.bytes()];
    for (const pack of packsIn({ found, ids: ids.length === 0 ? null : ids, packed: flush }, projectId))
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
      const step = (hour * HOUR_MS - stepsFrom) / HALF_HOUR + half;
      if (step >= 0 && step < STEPS) medians[step] = step === 0 ? medianOfWhole : median;
    });
  return medians;
}

import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/bytes.ts';
import { isLate, packRecordings, unpackRecordings } from '../codec/recording.ts';
import type { SampleOutcome, Sample } from './sample.ts';

const outcomes = ['up', 'down', 'timeout'] as const;
const MAX_REASON_LENGTH = 200;
const FORMAT = 1;
/** With the times at which late samples were recorded. */
const LATE_FORMAT = 2;

/**
 * Packs the samples of one project by column: outcome, period, status and reason are dictionary- and run-length-encoded, instants as the difference from
 * the expected one, totals as the difference from the sum of the phases.
 */
export function packSamples(samples: readonly Sample[]): Buffer {
  const writer = new ByteWriter();
  const format = samples.some(isLate) ? LATE_FORMAT : FORMAT;
  writer.unsigned(format);
  writer.unsigned(samples.length);
  packKinds(writer, samples);
  let expected = 0;
  for (const { at, periodSeconds } of samples) {
    writer.signed(at - expected);
    expected = at + periodSeconds * 1000;
  }
  if (format === LATE_FORMAT) packRecordings(writer, samples);
  for (const phase of ['dns', 'connect', 'tls', 'request', 'waiting', 'download'] as const)
    for (const sample of samples) writer.unsigned(tenths(sample[phase]));
  for (const sample of samples) writer.signed(tenths(sample.total) - sumOfPhases(sample));
  return writer.done();
}

export function unpackSamples(packed: Uint8Array): Sample[] {
  const reader = new ByteReader(packed);
  const outcomes = readOutcomes(reader);
  const column = (): readonly number[] => outcomes.map(() => reader.unsigned());
  const [dns, connect, tls, request, waiting, download] = [column(), column(), column(), column(), column(), column()];
  return outcomes.map(({ at, outcome, periodSeconds, httpStatus, reason, recordedAt }, index) => {
    const of = (tenths: readonly number[]): number => tenths[index] ?? 0;
    const total = of(dns) + of(connect) + of(tls) + of(request) + of(waiting) + of(download) + reader.signed();
    const sample = {
      at,
      outcome,
      periodSeconds,
      httpStatus,
      reason,
      dns: of(dns) / 10,
      connect: of(connect) / 10,
      tls: of(tls) / 10,
      request: of(request) / 10,
      waiting: of(waiting) / 10,
      download: of(download) / 10,
      total: total / 10,
    };
    return recordedAt === undefined ? sample : { ...sample, recordedAt };
  });
}

/** Skips the phases: half the work. */
export const unpackOutcomes = (packed: Uint8Array): SampleOutcome[] => readOutcomes(new ByteReader(packed));

function readOutcomes(reader: ByteReader): SampleOutcome[] {
  const format = reader.unsigned();
  if (format !== FORMAT && format !== LATE_FORMAT) throw new RangeError('samples are packed in an unknown format');
  const count = reader.unsigned();
  const kinds = unpackKinds(reader, count);
  const outcomes: SampleOutcome[] = [];
  let expected = 0;
  for (let index = 0; index < count; index++) {
    const at = expected + reader.signed();
    const kind = kinds[index];
    if (kind === undefined) throw new RangeError('packed samples have an unknown outcome');
    const { outcome, periodSeconds, httpStatus, reason } = kind;
    expected = at + periodSeconds * 1000;
    outcomes.push({ at, outcome, periodSeconds, httpStatus, reason });
  }
  if (format === LATE_FORMAT) addRecordings(outcomes, unpackRecordings(reader));
  return outcomes;
}

function addRecordings(outcomes: SampleOutcome[], late: ReadonlyMap<number, number>): void {
  for (const [index, lateMs] of late) {
    const outcome = outcomes[index];
    if (outcome === undefined) throw new RangeError('packed samples are inconsistent');
    outcomes[index] = { ...outcome, recordedAt: outcome.at + lateMs };
  }
}

type Kind = Omit<SampleOutcome, 'at' | 'recordedAt'>;

export const tenths = (milliseconds: number): number => Math.max(0, Math.round(milliseconds * 10));

const sumOfPhases = ({ dns, connect, tls, request, waiting, download }: Sample): number =>
  tenths(dns) + tenths(connect) + tenths(tls) + tenths(request) + tenths(waiting) + tenths(download);

function packKinds(writer: ByteWriter, samples: readonly Sample[]): void {
  const rows = new Map<string, number>();
  const runs: [number, number][] = [];
  const dictionary = new ByteWriter();
  for (const { outcome, periodSeconds, httpStatus, reason } of samples) {
    const key = `${outcome} ${String(periodSeconds)} ${String(httpStatus)} ${reason ?? ''}`;
    let row = rows.get(key);
    if (row === undefined) {
      row = rows.size;
      rows.set(key, row);
      dictionary.unsigned(outcomes.indexOf(outcome));
      dictionary.unsigned(periodSeconds);
      dictionary.unsigned(httpStatus);
      dictionary.text(reason?.slice(0, MAX_REASON_LENGTH) ?? '');
    }
    const last = runs.at(-1);
    if (last?.[0] === row) last[1]++;
    else runs.push([row, 1]);
  }
  writer.unsigned(rows.size);
  writer.raw(dictionary.done());
  writer.unsigned(runs.length);
  for (const [row] of runs) writer.unsigned(row);
  for (const [, length] of runs) writer.unsigned(length);
}

function unpackKinds(reader: ByteReader, count: number): Kind[] {
  const rows = Array.from({ length: reader.unsigned() }, (): Kind => {
    const outcome = outcomes[reader.unsigned()];
    if (outcome === undefined) throw new RangeError('packed samples have an unknown outcome');
    const [periodSeconds, httpStatus, reason] = [reader.unsigned(), reader.unsigned(), reader.text()];
    return { outcome, periodSeconds, httpStatus, reason: reason === '' ? null : reason };
  });
  const order = Array.from({ length: reader.unsigned() }, () => reader.unsigned());
  const kinds: Kind[] = [];
  for (const index of order) {
    const kind = rows[index];
    const length = reader.unsigned();
    if (kind === undefined || kinds.length + length > count) throw new RangeError('packed samples are inconsistent');
    for (let left = length; left > 0; left--) kinds.push(kind);
  }
  return kinds;
}

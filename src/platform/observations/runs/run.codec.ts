import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/bytes.ts';
import { isLate, packRecordings, unpackRecordings } from '../codec/recording.ts';
import type { PackKind } from '../packs/pack-kind.ts';
import { tenths } from '../samples/sample.codec.ts';
import { type Run, runsInOrder } from './run.ts';

const outcomes = ['ok', 'error', 'timeout'] as const;
/** Bits of a run. */
const CONFIRMING = 1;
const END_EXPECTED = 2;
const timings = ['dns', 'connect', 'tls', 'request', 'waiting', 'download', 'total'] as const;
const FORMAT = 1;

/** Packs the runs of one project by column; checks, verdicts, jobs and pages are dictionary-encoded because they repeat. */
export function packRuns(runs: readonly Run[]): Buffer {
  const writer = new ByteWriter();
  writer.unsigned(FORMAT);
  writer.unsigned(runs.length);
  packColumn(
    writer,
    runs.map(({ checkId }) => checkId),
  );
  packColumn(
    writer,
    runs.map(({ outcome, httpStatus, failures, ...run }) =>
      JSON.stringify([outcomes.indexOf(outcome), flagsOf(run), httpStatus, ...failures]),
    ),
  );
  packColumn(
    writer,
    runs.map(({ jobId }) => jobId ?? ''),
  );
  packHashes(
    writer,
    runs.map(({ page }) => page ?? ''),
  );
  let last = 0;
  for (const { at } of runs) {
    writer.signed(at - last);
    last = at;
  }
  for (const timing of timings) for (const run of runs) writer.unsigned(tenths(run[timing]));
  for (const { size } of runs) writer.unsigned(size);
  if (runs.some(isLate)) packRecordings(writer, runs);
  return writer.done();
}

export function unpackRuns(packed: Uint8Array): Run[] {
  const reader = new ByteReader(packed);
  if (reader.unsigned() !== FORMAT) throw new RangeError('runs are packed in an unknown format');
  const count = reader.unsigned();
  const checks = unpackColumn(reader, count);
  const verdicts = unpackColumn(reader, count).map(readVerdict);
  const jobs = unpackColumn(reader, count);
  const pages = unpackHashes(reader, count);
  let at = 0;
  const instants = Array.from({ length: count }, () => (at += reader.signed()));
  const columns = timings.map(() => Array.from({ length: count }, () => reader.unsigned() / 10));
  const sizes = Array.from({ length: count }, () => reader.unsigned());
  const late = reader.ended ? null : unpackRecordings(reader);
  return instants.map((instant, index) => {
    const verdict = verdicts[index];
    if (verdict === undefined) throw new RangeError('packed runs are inconsistent');
    const [dns = 0, connect = 0, tls = 0, request = 0, waiting = 0, download = 0, total = 0] = columns.map((column) => column[index] ?? 0);
    const [jobId, page] = [jobs[index] ?? '', pages[index] ?? ''];
    const lateMs = late?.get(index);
    return {
      at: instant,
      checkId: checks[index] ?? '',
      ...verdict,
      jobId: jobId === '' ? null : jobId,
      dns,
      connect,
      tls,
      request,
      waiting,
      download,
      total,
      size: sizes[index] ?? 0,
      page: page === '' ? null : page,
      ...(lateMs !== undefined && { recordedAt: instant + lateMs }),
    };
  });
}

/** The checks in a pack, read without unpacking its runs. */
export function checksIn(packed: Uint8Array): readonly string[] {
  const reader = new ByteReader(packed);
  if (reader.unsigned() !== FORMAT) throw new RangeError('runs are packed in an unknown format');
  reader.unsigned();
  return unpackDictionary(reader);
}

type Verdict = Pick<Run, 'outcome' | 'confirming' | 'httpStatus' | 'failures' | 'endExpected'>;

const flagsOf = ({ confirming, endExpected }: Pick<Run, 'confirming' | 'endExpected'>): number =>
  (confirming ? CONFIRMING : 0) | (endExpected === true ? END_EXPECTED : 0);

function readVerdict(text: string): Verdict {
  const [outcome, flags, httpStatus, ...failures] = JSON.parse(text) as [number, number, number, ...string[]];
  return {
    outcome: outcomes[outcome] ?? 'error',
    confirming: (flags & CONFIRMING) !== 0,
    httpStatus,
    failures,
    ...((flags & END_EXPECTED) !== 0 && { endExpected: true }),
  };
}

function packColumn(writer: ByteWriter, values: readonly string[]): void {
  const indexes = new Map<string, number>();
  for (const value of values) if (!indexes.has(value)) indexes.set(value, indexes.size);
  writer.unsigned(indexes.size);
  for (const value of indexes.keys()) writer.text(value);
  for (const value of values) writer.unsigned(indexes.get(value) ?? 0);
}

function unpackColumn(reader: ByteReader, count: number): string[] {
  const dictionary = unpackDictionary(reader);
  return Array.from({ length: count }, () => dictionary[reader.unsigned()] ?? '');
}

const unpackDictionary = (reader: ByteReader): readonly string[] => Array.from({ length: reader.unsigned() }, () => reader.text());

/** As bytes, because hex takes twice the space and hashes do not compress. */
function packHashes(writer: ByteWriter, hashes: readonly string[]): void {
  packColumn(
    writer,
    hashes.map((hash) => Buffer.from(hash, 'hex').toString('base64')),
  );
}

const unpackHashes = (reader: ByteReader, count: number): string[] =>
  unpackColumn(reader, count).map((hash) => Buffer.from(hash, 'base64').toString('hex'));

export const runKind: PackKind<Run> = { name: 'run', pack: packRuns, unpack: unpackRuns, inOrder: runsInOrder };

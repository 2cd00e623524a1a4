import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter, deflatePack, inflatePack } from '../codec/bytes.ts';
import { phases } from '../samples/sample.ts';
import { type Bucket, FINEST_MS } from './bucket.ts';
import { Sketch } from './sketch.ts';

/** A day's 1000-second buckets by column, sums only: the form that a closed day keeps for ever. */
export function packBuckets(buckets: readonly Bucket[]): Buffer {
  return deflatePack(sumsOf(buckets).done(), 9);
}

/** Sums and sketches, kept as long as the samples. */
export function packSketchedBuckets(buckets: readonly Bucket[]): Buffer {
  const writer = sumsOf(buckets);
  for (const { sketch } of buckets) (sketch ?? new Sketch()).write(writer);
  return deflatePack(writer.done());
}

export const unpackBuckets = (packed: Uint8Array): readonly Bucket[] => readSums(new ByteReader(inflatePack(packed)));

export function unpackSketchedBuckets(packed: Uint8Array): readonly Bucket[] {
  const reader = new ByteReader(inflatePack(packed));
  return readSums(reader).map((bucket) => ({ ...bucket, sketch: Sketch.read(reader) }));
}

export function packSketch(sketch: Sketch): Buffer {
  const writer = new ByteWriter();
  sketch.write(writer);
  return deflatePack(writer.done(), 9);
}

export const unpackSketch = (packed: Uint8Array): Sketch => Sketch.read(new ByteReader(inflatePack(packed)));

function sumsOf(buckets: readonly Bucket[]): ByteWriter {
  const writer = new ByteWriter();
  writer.unsigned(buckets.length);
  let last = 0;
  for (const { start } of buckets) {
    writer.unsigned(start / FINEST_MS - last);
    last = start / FINEST_MS;
  }
  for (const { count } of buckets) writer.unsigned(count);
  for (let index = 0; index < phases.length; index++) for (const { sums } of buckets) writer.unsigned(sums[index] ?? 0);
  return writer;
}

function readSums(reader: ByteReader): readonly Bucket[] {
  const length = reader.unsigned();
  let position = 0;
  const starts = Array.from({ length }, () => (position += reader.unsigned()) * FINEST_MS);
  const counts = Array.from({ length }, () => reader.unsigned());
  const columns = phases.map(() => Array.from({ length }, () => reader.unsigned()));
  return starts.map((start, index) => ({
    start,
    count: counts[index] ?? 0,
    sums: columns.map((column) => column[index] ?? 0),
    sketch: null,
  }));
}

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const SAMPLES = join(import.meta.dirname, '../samples/import');

/** The bytes of a sample, which is kept compressed. */
export const sampleBytes = (name: string): Buffer => gunzipSync(readFileSync(join(SAMPLES, `${name}.gz`)));

/** Unpacks a sample into a folder and answers its path. */
export function unpackSample(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, sampleBytes(name));
  return path;
}

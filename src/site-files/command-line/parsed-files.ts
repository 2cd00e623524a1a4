import { availableParallelism } from 'node:os';
import { WorkerPool } from '../../checker/judging/worker-pool.ts';
import type { GivenFile, ParsedFile } from '../read-site-files.ts';
import { placedLater, readYaml } from '../yaml-text.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import type { YamlValues } from './yaml-worker.ts';

/** In characters: what one thread parses sooner than others start. */
const FEW = 200_000;
/** Of one task: enough that handing it over does not count. */
const PART = 64_000;
const MAX_THREADS = 4;
const TIMEOUT_MS = 60_000;

/** Parses files in their order, a part after the other, and many of them on several threads: parsing YAML is most of the time of reading them. */
export async function* parsedFiles(
  files: readonly GivenFile[],
  entry: URL = new URL('./yaml-worker.js', import.meta.url),
): AsyncGenerator<readonly ParsedFile[]> {
  const size = Math.min(availableParallelism(), MAX_THREADS);
  const parts = partsOf(files);
  if (size === 1 || files.reduce((sum, { text }) => sum + text.length, 0) < FEW) {
    for (const part of parts) yield part.map(({ name, text }) => ({ file: name, ...readYaml(text) }));
    return;
  }
  const pool = new WorkerPool({ entry, size, maxQueue: Infinity, maxWaitMs: Infinity, limits: { maxYoungGenerationSizeMb: 64 } });
  try {
    const running = parts.map((part) => parsedPart(pool, part));
    // The first failure ends the iteration, which then does not come to the others.
    for (const part of running) part.catch(() => undefined);
    for (const part of running) yield await part;
  } finally {
    await pool.close();
  }
}

async function parsedPart(pool: WorkerPool, part: readonly GivenFile[]): Promise<readonly ParsedFile[]> {
  let read: readonly YamlValues[] = [];
  const onReport = (report: unknown): undefined => {
    // The worker of this entry sends nothing else.
    read = report as readonly YamlValues[];
    return undefined;
  };
  const result = await pool.run(
    part.map(({ text }) => text),
    TIMEOUT_MS,
    onReport,
  );
  if (result !== 'done')
    throw new StartRefused(`${part[0]?.name ?? ''} and the files after it: reading them takes too much time or memory`);
  return part.map(({ name, text }, index): ParsedFile => {
    const { values, problems } = read[index] ?? { values: [], problems: [] };
    return { file: name, documents: placedLater(text, values), problems };
  });
}

function partsOf(files: readonly GivenFile[]): readonly (readonly GivenFile[])[] {
  const parts: GivenFile[][] = [];
  let left = 0;
  for (const file of files) {
    if (left <= 0) {
      parts.push([]);
      left = PART;
    }
    parts.at(-1)?.push(file);
    left -= file.text.length;
  }
  return parts;
}

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Load } from './load-test.ts';
import { picture } from './picture.ts';
import type { Sample } from './watch.ts';

/** How long a start may cost more, and how much more. */
const START_SECONDS = 200;
const START_CEILING = 1.3;
const DOCS = join(import.meta.dirname, '../../docs');
/** Shorter or smaller runs do not show growth. */
const WORTH_KEEPING = { minutes: 5, projects: 5_000 };

/** Prints the table of a run; a full-size run also replaces its table and chart in docs/performance.md. */
export function report(load: Load): void {
  const table = tableOf(load);
  console.log(table);
  const ratio = startRatio(load);
  if (ratio !== null)
    console.log(
      `the first ${String(START_SECONDS)} s cost ${ratio.toFixed(2)} times the rest: ${ratio <= START_CEILING ? 'within' : 'ABOVE'} ${String(START_CEILING)}`,
    );
  if (load.minutes < WORTH_KEEPING.minutes || load.projects < WORTH_KEEPING.projects) return;
  const name = load.split ? 'two-processes' : 'one-process';
  writeFileSync(join(DOCS, `performance-${name}.svg`), picture(load));
  keep(name, table);
}

/** Processor time of the first 200 s against what follows; null for runs that are not twice as long. */
export function startRatio({ samples }: Pick<Load, 'samples'>): number | null {
  const spent = (part: readonly Sample[]): number => mean(part.map(({ processor }) => processor.reduce((sum, share) => sum + share, 0)));
  const later = samples.filter(({ at }) => at > START_SECONDS);
  if ((samples.at(-1)?.at ?? 0) < 2 * START_SECONDS - 10) return null;
  return spent(samples.filter(({ at }) => at <= START_SECONDS)) / spent(later);
}

/** Replaces the table in docs/performance.md. */
function keep(name: string, table: string): void {
  const page = join(DOCS, 'performance.md');
  writeFileSync(page, between(readFileSync(page, 'utf8'), name, table));
}

export function machine({ loadBefore }: Pick<Load, 'loadBefore'>): string {
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${String(cpus().length)} cores, ${String(Math.round(totalmem() / 2 ** 30))} GB, Node ${process.versions.node}, load before ${loadBefore.toFixed(1)}`;
}

function tableOf(load: Load): string {
  const { projects, minutes, samples } = load;
  const third = Math.max(1, Math.floor(samples.length / 3));
  const parts = [samples.slice(0, third), samples.slice(third, -third), samples.slice(-third)];
  const row = (what: string, of: (sample: Sample) => number, sum: (values: readonly number[]) => number, unit: string): string =>
    `| ${what} | ${parts.map((part) => `${sum(part.map(of)).toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`).join(' | ')} |`;
  const processes = samples[0]?.processor.map((_, index) => index) ?? [];
  const nameOf = (index: number): string => (processes.length === 1 ? 'service' : (['interface', 'checker'][index] ?? ''));
  return [
    `${projects.toLocaleString('en')} projects, ${String(minutes)} minutes, ${machine(load)}.`,
    '',
    '| | first third | second | last |',
    '|---|---:|---:|---:|',
    `| processor, the first ${String(START_SECONDS)} s against the rest | ${startRatio(load)?.toFixed(2) ?? 'not measured'} | | |`,
    row('probes and runs a second', ({ turns }) => turns, mean, '/s'),
    row('late by, 99 of 100, worst 10 s', ({ lateMs }) => lateMs, largest, 'ms'),
    ...processes.flatMap((index) => [
      row(`processor of the ${nameOf(index)}, of one core`, ({ processor }) => processor[index] ?? 0, mean, '%'),
      row(`memory of the ${nameOf(index)}`, ({ memoryMb }) => memoryMb[index] ?? 0, largest, 'MB'),
    ]),
    row('processor of Postgres, of one core', ({ postgresProcessor }) => postgresProcessor, mean, '%'),
    row('database', ({ databaseMb }) => databaseMb, largest, 'MB'),
    row('reading a project, median', ({ readMs }) => readMs.p50, mean, 'ms'),
    row('reading a project, 99 of 100', ({ readMs }) => readMs.p99, mean, 'ms'),
    row('changing a project, median', ({ writeMs }) => writeMs.p50, mean, 'ms'),
    row('changing a project, slowest of 20', ({ writeMs }) => writeMs.p99, mean, 'ms'),
    row('requests that failed, so far', ({ failures }) => failures, largest, ''),
  ].join('\n');
}

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
export const largest = (values: readonly number[]): number => Math.max(...values);

function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for ${name}`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}

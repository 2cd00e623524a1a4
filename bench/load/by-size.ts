import type { Load } from './load-test.ts';
import { largest, machine, mean } from './report.ts';
import type { Sample } from './watch.ts';

/** A table of runs of several sizes, with each figure per thousand projects, which shows superlinear growth. */
export function tableBySize(loads: readonly Load[]): string {
  const [first] = loads;
  if (first === undefined) throw new Error('there is no run to show');
  const row = (what: string, figure: (load: Load) => number, unit: string): string =>
    `| ${what} | ${loads.map((load) => `${figure(load).toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`).join(' | ')} |`;
  const perThousand = (what: string, figure: (load: Load) => number, unit: string): string =>
    row(`${what}, a thousand projects`, (load) => figure(load) / (load.projects / 1_000), unit);
  const average = (of: (sample: Sample) => number) => (load: Load) => mean(load.samples.map(of));
  const most = (of: (sample: Sample) => number) => (load: Load) => largest(load.samples.map(of));
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  const [processor, postgres] = [average(({ processor: parts }) => sum(parts)), average(({ postgresProcessor }) => postgresProcessor)];
  return [
    `${String(first.minutes)} minutes each, ${machine(first)}.`,
    '',
    `| projects | ${loads.map(({ projects }) => projects.toLocaleString('en')).join(' | ')} |`,
    `|---|${loads.map(() => '---:|').join('')}`,
    row(
      'probes and runs a second',
      average(({ turns }) => turns),
      '/s',
    ),
    row(
      'late by, 99 of 100, worst 10 s',
      most(({ lateMs }) => lateMs),
      'ms',
    ),
    row('processor of the service, of one core', processor, '%'),
    perThousand('the same', processor, '%'),
    row('processor of Postgres, of one core', postgres, '%'),
    perThousand('the same', postgres, '%'),
    row(
      'memory of the service',
      most(({ memoryMb }) => sum(memoryMb)),
      'MB',
    ),
    row(
      'database',
      most(({ databaseMb }) => databaseMb),
      'MB',
    ),
    perThousand(
      'the same',
      most(({ databaseMb }) => databaseMb),
      'MB',
    ),
    row(
      'reading a project, median',
      average(({ readMs }) => readMs.p50),
      'ms',
    ),
    row(
      'changing a project, median',
      average(({ writeMs }) => writeMs.p50),
      'ms',
    ),
    row(
      'requests that failed',
      most(({ failures }) => failures),
      '',
    ),
  ].join('\n');
}

import type { Figure } from './bench.ts';

export interface Result extends Figure {
  readonly bench: string;
}

const HEAD = `# Results

Made by \`npm run bench\`. Each figure is compared, in the same run on the same machine, with a ceiling: the plainest means to the same end.

| Bench | What | Figure | Ceiling | Ratio | Goal | Met | Date | Machine |
| --- | --- | ---: | ---: | ---: | --- | --- | --- | --- |
`;

/** Rows of benches that did not run this time stay. */
export function mergeResults(before: string, results: readonly Result[], run: { readonly date: Date; readonly machine: string }): string {
  const ran = new Set(results.map(({ bench }) => bench));
  const kept = before.split('\n').filter((line) => /^\| [a-z]/.test(line) && !ran.has(line.split(' | ')[0]?.slice(2) ?? ''));
  const added = results.map((result) => row(result, run.date.toISOString().slice(0, 10), run.machine));
  return `${HEAD}${[...kept, ...added].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : nameOf(left) > nameOf(right) ? 1 : 0)).join('\n')}\n`;
}

const nameOf = (line: string): string => line.split(' | ')[0] ?? '';

function row({ bench, name, figure, unit, ceiling, ratio, goal, met }: Result, date: string, machine: string): string {
  const verdict = met === null ? '' : met ? 'yes' : '**no**';
  const cells = [
    bench,
    name,
    `${number(figure)} ${unit}`,
    ceiling === null ? '' : number(ceiling),
    ratio === null ? '' : ratio.toFixed(2),
    goal ?? '',
    verdict,
    date,
    machine,
  ];
  return `| ${cells.join(' | ')} |`;
}

const number = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2));

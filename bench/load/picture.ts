import type { Load } from './load-test.ts';
import type { Sample } from './watch.ts';

const [WIDTH, PANEL, GAP, LEFT, RIGHT] = [760, 110, 46, 70, 16];
const COLOURS = ['#1f6feb', '#d1242f', '#2da44e'];

interface Panel {
  readonly title: string;
  readonly lines: readonly { readonly name: string; readonly of: (sample: Sample) => number }[];
}

/** A chart with one panel per quantity over time, each from zero. */
export function picture({ samples, split }: Load): string {
  const named = (index: number): string => (split ? (['interface', 'checker'][index] ?? '') : 'service');
  const services = samples[0]?.processor.map((_, index) => index) ?? [];
  const panels: readonly Panel[] = [
    {
      title: 'processor, % of one core',
      lines: [
        ...services.map((index) => ({ name: named(index), of: ({ processor }: Sample) => processor[index] ?? 0 })),
        { name: 'Postgres', of: ({ postgresProcessor }) => postgresProcessor },
      ],
    },
    { title: 'memory, MB', lines: services.map((index) => ({ name: named(index), of: ({ memoryMb }: Sample) => memoryMb[index] ?? 0 })) },
    { title: 'database, MB', lines: [{ name: 'size', of: ({ databaseMb }) => databaseMb }] },
    { title: 'late by, ms, 99 of 100', lines: [{ name: 'probes and runs', of: ({ lateMs }) => lateMs }] },
    {
      title: 'answers, ms, 99 of 100',
      lines: [
        { name: 'reading', of: ({ readMs }) => readMs.p99 },
        { name: 'changing', of: ({ writeMs }) => writeMs.p99 },
      ],
    },
  ];
  const height = panels.length * (PANEL + GAP) + GAP;
  const drawn = panels.map((panel, index) => draw(panel, samples, GAP + index * (PANEL + GAP)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${String(WIDTH)}" height="${String(height)}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

function draw({ title, lines }: Panel, samples: readonly Sample[], top: number): string {
  const last = samples.at(-1)?.at ?? 1;
  const highest = Math.max(1, ...lines.flatMap(({ of }) => samples.map(of)).filter(Number.isFinite));
  const x = (at: number): string => (LEFT + (at / last) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const y = (value: number): string => (top + PANEL - (Math.min(value, highest) / highest) * PANEL).toFixed(1);
  const label = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });
  const curves = lines.map(({ of }, index) => {
    const points = samples.map((sample) => `${x(sample.at)},${y(of(sample))}`).join(' ');
    return `<polyline fill="none" stroke="${COLOURS[index] ?? '#000'}" stroke-width="1.5" points="${points}"/>`;
  });
  const legend = lines.map(
    ({ name }, index) =>
      `<text x="${String(WIDTH - RIGHT - (lines.length - index) * 90)}" y="${String(top - 8)}" fill="${COLOURS[index] ?? '#000'}">${name}</text>`,
  );
  return [
    `<text x="${String(LEFT)}" y="${String(top - 8)}" font-weight="bold">${title}</text>`,
    ...legend,
    `<rect x="${String(LEFT)}" y="${String(top)}" width="${String(WIDTH - LEFT - RIGHT)}" height="${String(PANEL)}" fill="none" stroke="#ccc"/>`,
    `<text x="${String(LEFT - 6)}" y="${String(top + 10)}" text-anchor="end">${label(highest)}</text>`,
    `<text x="${String(LEFT - 6)}" y="${String(top + PANEL)}" text-anchor="end">0</text>`,
    `<text x="${String(WIDTH - RIGHT)}" y="${String(top + PANEL + 14)}" text-anchor="end">${String(last)} s</text>`,
    ...curves,
  ].join('\n');
}

/** The tools of a bench: real databases with the durability of the service. */
export interface BenchTools {
  /** Migrated and empty. */
  database(): Promise<string>;
  say(line: string): void;
}

/** `bench/NAME.bench.ts` exports one as its default. */
export type Bench = (tools: BenchTools) => Promise<readonly Figure[]>;

export interface Figure {
  readonly name: string;
  readonly figure: number;
  readonly unit: string;
  /** The result of the simplest implementation in the same run on this machine. */
  readonly ceiling: number | null;
  readonly ratio: number | null;
  readonly goal: string | null;
  readonly met: boolean | null;
}

export type Goal =
  | { readonly ratio: number }
  | { readonly ratioAtMost: number }
  | { readonly atLeast: number }
  | { readonly atMost: number };

export function figure(name: string, value: number, unit: string, options: { ceiling?: number; goal?: Goal } = {}): Figure {
  const { ceiling, goal } = options;
  const ratio = ceiling === undefined ? null : value / ceiling;
  return { name, figure: value, unit, ceiling: ceiling ?? null, ratio, ...judged(value, unit, ratio, goal) };
}

function judged(value: number, unit: string, ratio: number | null, goal: Goal | undefined): Pick<Figure, 'goal' | 'met'> {
  if (goal === undefined) return { goal: null, met: null };
  if ('ratio' in goal) return { goal: `ratio ≥ ${String(goal.ratio)}`, met: ratio !== null && ratio >= goal.ratio };
  if ('ratioAtMost' in goal) return { goal: `ratio ≤ ${String(goal.ratioAtMost)}`, met: ratio !== null && ratio <= goal.ratioAtMost };
  if ('atLeast' in goal) return { goal: `≥ ${goal.atLeast.toLocaleString('en')} ${unit}`, met: value >= goal.atLeast };
  return { goal: `≤ ${goal.atMost.toLocaleString('en')} ${unit}`, met: value <= goal.atMost };
}

/** The medians of alternating rounds, so that other load disturbs all candidates alike. */
export async function inTurns<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Readonly<Record<Name, number>>> {
  const names = Object.keys(contenders) as Name[];
  const results = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) for (const name of names) results.get(name)?.push(await contenders[name]());
  return Object.fromEntries(names.map((name) => [name, median(results.get(name) ?? [])])) as Record<Name, number>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** The nearest rank: of 100 values the 99th for 0.99. */
export const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((left, right) => left - right)[Math.ceil(values.length * part) - 1] ?? NaN;

/** Operations per second with this many concurrent workers. */
export async function rate(milliseconds: number, workers: number, work: (worker: number) => Promise<void>): Promise<number> {
  let done = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (performance.now() - began < milliseconds) {
        await work(worker);
        done++;
      }
    }),
  );
  return (done * 1_000) / (performance.now() - began);
}

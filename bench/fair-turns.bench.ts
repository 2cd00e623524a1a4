import { ConcurrencyLimit, type ConcurrencyLimitOptions, type WorkSource } from '../src/kernel/concurrency-limit.ts';
import { type Bench, figure, inTurns } from './support/bench.ts';

const PROJECTS = 10_000;
const TURNS = 3;
const PERMITS = 200;
const ROUNDS = 5;

/** Turns a second of processor time while all of them wait: queue, start, end. */
async function turnsOf(options: ConcurrencyLimitOptions, sourceOf: (project: number) => WorkSource): Promise<number> {
  const limit = new ConcurrencyLimit(PERMITS, options);
  const sources = Array.from({ length: PROJECTS }, (_, project) => sourceOf(project));
  const work = (): Promise<void> => Promise.resolve();
  const began = process.cpuUsage();
  const done: Promise<void>[] = [];
  for (let turn = 0; turn < TURNS; turn++) for (const source of sources) done.push(limit.run(work, source));
  await Promise.all(done);
  const { user, system } = process.cpuUsage(began);
  return (PROJECTS * TURNS * 1_000_000) / (user + system);
}

/** Turns in a concurrency limit that ten thousand projects share, against the same limit in order of arrival. A check itself costs 600 µs. */
const bench: Bench = async () => {
  const shares = 'permits and queue';
  const made = await inTurns(ROUNDS, {
    plain: () => turnsOf({}, () => ({})),
    own: () => turnsOf({ shares }, (project) => ({ account: project, isOnDemand: project % 2 === 0 })),
    few: () => turnsOf({ shares }, (project) => ({ account: project % 20, isOnDemand: project % 2 === 0 })),
  });
  return [
    figure('turns, 10,000 accounts waiting, against one queue', made.own, 'turns/s', { ceiling: made.plain, goal: { ratio: 0.2 } }),
    figure('turns, 20 accounts waiting, against one queue', made.few, 'turns/s', { ceiling: made.plain, goal: { ratio: 0.2 } }),
  ];
};

export default bench;

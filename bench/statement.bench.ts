import { builtVerifier } from '../test/support/verifier-bundle.ts';
import { ledgerOf, MONTH_START, october, octoberLog, PROJECT } from '../test/support/statement-world.ts';
import { leafOf } from '../src/ledger/verify/leaf.ts';
import { assembleStatement } from '../src/statement/assemble.ts';
import { readFacts } from '../src/statement/facts.ts';
import { nodePlatform } from '../src/statement/node-platform.ts';
import { joinFile, type StatementFile } from '../src/statement/page/page-file.ts';
import { recomputeStatement } from '../src/statement/verify-statement.ts';
import { type Bench, figure, inTurns } from './support/bench.ts';

const INCIDENTS = 200;
const ROUNDS = 9;
const EVERY_MS = (31 * 86_400_000) / INCIDENTS;
const SAMPLE_MS = 15_000;

/** The statement of a month with 200 incidents, from its events in memory to the signed file, and back. */
const bench: Bench = async () => {
  const outages = Array.from({ length: INCIDENTS }, (_, index) => {
    const from = MONTH_START + Math.floor(((index + 0.5) * EVERY_MS) / SAMPLE_MS) * SAMPLE_MS;
    return { from, to: from + 3 * SAMPLE_MS, state: 'down', reason: 'the server answered with HTTP status 500' } as const;
  });
  const log = octoberLog({ outages });
  const events = log.filter(({ scope }) => scope === `project-${PROJECT}`);
  const [ledger, verifier] = [ledgerOf(log), builtVerifier()];
  const project = { id: PROJECT, title: 'Shop', url: 'https://shop.example' };
  const make = async (): Promise<StatementFile> => {
    const facts = await readFacts(events, nodePlatform);
    const generatedAt = '2026-11-02T00:00:00.000Z';
    const request = { project, span: october, asked: [], edition: null, measured: new Map(), generatedAt, events, facts, verifier };
    return assembleStatement(request, ledger, nodePlatform);
  };
  const file = await make();
  const timed = async (work: () => unknown): Promise<number> => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  const { made, recomputed, leaves } = await inTurns(ROUNDS, {
    made: () => timed(make),
    recomputed: () => timed(() => recomputeStatement(file.text, nodePlatform)),
    leaves: () => timed(() => JSON.stringify(events.map(leafOf))),
  });
  const size = Buffer.byteLength(joinFile(file)) / 1_000_000;
  return [
    figure('the file of a month with 200 incidents, against writing its events alone', made, 'ms', {
      ceiling: leaves,
      goal: { atMost: 500 },
    }),
    figure('its size', size, 'MB', { goal: { atMost: 1.5 } }),
    figure('computing its data again, against writing its events alone', recomputed, 'ms', { ceiling: leaves, goal: { atMost: 2_000 } }),
  ];
};

export default bench;

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import { endChromium } from '../test/support/chromium-packages.ts';
import { leaveChromium, openFile } from '../test/support/chromium.ts';
import { insertEvents } from '../test/support/log-table.ts';
import { masterKeys } from '../test/support/master-keys.ts';
import { inRecordedOrder, MONTH_START, octoberLog, PROJECT } from '../test/support/statement-world.ts';
import { builtVerifier } from '../test/support/verifier-bundle.ts';
import { StatementEvidence } from '../src/proof/statement/statement-evidence.ts';
import { readStatementQuery } from '../src/proof/statement/statement-query.ts';
import { StatementReading } from '../src/proof/statement/statement-reading.ts';
import { StatementStore } from '../src/proof/statement/statement-store.ts';
import { SealKeys } from '../src/proof/seal/keys/seal-keys.ts';
import { Ledger } from '../src/proof/seal/ledger.ts';
import { LedgerStore } from '../src/proof/seal/store/ledger-store.ts';
import { leafOf } from '../src/client/proofs/leaf.ts';
import { LogSearcher } from '../src/platform/log/search.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { openPool } from '../src/platform/postgres/pool.ts';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { nodePlatform } from '../src/proof/statement/node-platform.ts';
import { joinFile, type StatementFile } from '../src/proof/statement/page/page-file.ts';
import { recomputeStatement } from '../src/proof/statement/verify-statement.ts';
import { type Bench, figure, inTurns, median } from './support/bench.ts';
import { seal } from './support/seal.ts';

const INCIDENTS = 200;
const ROUNDS = 9;
const OPENED = 5;
const EVERY_MS = (31 * 86_400_000) / INCIDENTS;
const SAMPLE_MS = 15_000;

/** The statement of a month with 200 incidents: from the log in Postgres to the signed file; computed again by the command and by a browser without a network. */
const bench: Bench = async ({ database }) => {
  const outages = Array.from({ length: INCIDENTS }, (_, index) => {
    const from = MONTH_START + Math.floor(((index + 0.5) * EVERY_MS) / SAMPLE_MS) * SAMPLE_MS;
    return { from, to: from + 3 * SAMPLE_MS, state: 'down', reason: 'the server answered with HTTP status 500' } as const;
  });
  const log = inRecordedOrder(octoberLog({ outages }));
  const events = log.filter(({ scope }) => scope === `project-${PROJECT}`);
  const url = await database();
  const pool = openPool(url, { name: 'bench', max: 4 });
  try {
    await insertEvents(pool, log);
    await pool.query('VACUUM ANALYZE log');
    const reading = await statements(url, pool, log.length);
    const query = readStatementQuery({ month: '2026-10', method: 'standard' }, Date.now());
    const project = { id: PROJECT, title: 'Shop', url: 'https://shop.example' };
    const make = (): Promise<StatementFile> => reading.read(project, '2026-01-01T00:00:00.000Z', query);
    const file = await make();
    let reads = 0;
    const count = (): void => {
      reads++;
    };
    pool.on('acquire', count);
    await make();
    pool.off('acquire', count);
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
    return [
      figure('the file of a month with 200 incidents, from the log, against writing its events alone', made, 'ms', {
        ceiling: leaves,
        goal: { atMost: 500 },
      }),
      figure('reads of the database for it', reads, 'reads', { goal: { atMost: 20 } }),
      figure('its size', Buffer.byteLength(joinFile(file)) / 1_000_000, 'MB', { goal: { atMost: 1.5 } }),
      figure('computing its data again, against writing its events alone', recomputed, 'ms', { ceiling: leaves }),
      figure(
        'the file verifying itself in Chromium, page and signatures included, against its data in Node',
        await inChromium(file),
        'ms',
        {
          ceiling: recomputed,
          goal: { atMost: 2_000 },
        },
      ),
    ];
  } finally {
    await pool.end();
  }
};

export default bench;

/** Computed at each request: the statement of a closed month that `method` names is not kept. */
async function statements(url: string, pool: pg.Pool, size: number): Promise<StatementReading> {
  const wake = new LocalWake();
  const [log, store] = [new PostgresLog(pool, wake), new LedgerStore(pool)];
  const { origin } = await store.initialise('bench.watchledger.example/ledger');
  const keys = new SealKeys({ pool, master: masterKeys(pool, Buffer.alloc(32, 1)), origin });
  await keys.ensureKey();
  await seal({ url, pool, wake, log, store, origin, keys }, size);
  const ledger = new Ledger({ pool, store, log, keys, origin, wake, witnessKeys: () => Promise.resolve([]) });
  const noMeasurements = { knownIntervals: () => Promise.resolve([]) };
  // Cast: nothing is issued.
  const commands = {} as CommandBus;
  return new StatementReading(
    new StatementEvidence(new LogSearcher(pool), log),
    new StatementStore(pool),
    noMeasurements,
    ledger,
    commands,
    builtVerifier,
  );
}

/** Milliseconds that the verifier in the file states; each time in a new page. */
async function inChromium(file: StatementFile): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-chromium-'));
  process.env['TEST_CHROMIUM'] = folder;
  try {
    const path = join(folder, 'statement.html');
    writeFileSync(path, joinFile(file));
    const times: number[] = [];
    for (let time = 0; time < OPENED; time++) {
      const { page } = await openFile(path);
      await page.waitForFunction(`document.querySelector('.verdict.equal, .verdict.different') !== null`);
      const said = String(await page.evaluate(`document.querySelector('#verdict').textContent`));
      const [, ms] = /Equal\..*Verified in (\d+) ms/s.exec(said) ?? [];
      if (ms === undefined) throw new Error(`the browser says: ${said.slice(0, 300)}`);
      times.push(Number(ms));
      await page.close();
    }
    return median(times);
  } finally {
    await leaveChromium();
    endChromium(folder);
  }
}

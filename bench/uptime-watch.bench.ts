import { openGate } from '../test/support/open-gate.ts';
import type { CommandBus } from '@nestjs/cqrs';
import { SsrfGuard } from '../src/platform/security/ssrf-guard/ssrf-guard.ts';
import { Checker } from '../src/checker/checker.ts';
import { EvidenceKeeper } from '../src/checker/evidence/keep-evidence.ts';
import { ExchangeStore } from '../src/platform/observations/exchanges/exchange-store.ts';
import { Prober } from '../src/checker/probe/prober.ts';
import { openLimits } from '../src/checker/limits.ts';
import { openWatches } from '../src/watches/turns/open-watches.ts';
import { CommandRunner } from '../src/platform/commands/command-runner.ts';
import { RecordProbes, RecordProbesHandler } from '../src/watches/observation.commands.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { ObservationFences } from '../src/platform/observations/fences.ts';
import { PackReader } from '../src/platform/observations/packs/pack-reader.ts';
import { outcomeKind, PostgresSamples } from '../src/platform/observations/samples/postgres-samples.ts';
import { viewLifecycle } from '../src/platform/read-models/views/view-lifecycle.ts';
import { UnitViews } from '../src/platform/read-models/views/unit-views.ts';
import { type Bench, figure } from './support/bench.ts';
import { openPageSite, twentyKilobytes } from './support/page-site.ts';
import { postgresSeconds, spentSince } from './support/processor.ts';
import { projectCreated } from './support/projects.ts';
import { openBenchParts } from './support/parts.ts';

const SITES = 1_000;
const PERIOD_MS = 15_000;
const SPAN_MS = 60_000;

/** A thousand sites every 15 seconds over HTTP: missing samples, lateness, and cost in this process and in Postgres. */
const bench: Bench = async ({ database, say }) => {
  const url = await database();
  const site = await openPageSite(twentyKilobytes());
  const { pool, wake, log, store, leases, unit, readYourWrites } = openBenchParts(url);
  const stop = new AbortController();
  const lifecycle = viewLifecycle({
    unit,
    log,
    db: pool,
    wake,
    readYourWrites,
    report: (problem) => {
      say(String(problem));
    },
  });
  const running = lifecycle.run(stop.signal);
  const late: number[] = [];
  try {
    await readYourWrites.start();
    const ids = Array.from({ length: SITES }, (_, index) => index.toString(16).padStart(24, '5'));
    const created = await Promise.all(
      ids.map((id) => store.append(`project-${id}`, 'no stream', [projectCreated(id, `http://127.0.0.1:${String(site.http)}/`, '15')])),
    );
    await readYourWrites.waitUntilVisible(
      created.flatMap((result) => (result.kind === 'appended' ? [result.place] : [])),
      Date.now() + 30_000,
    );
    const views = new UnitViews(unit, log, pool, () => readYourWrites.position()).now();
    const handler = new RecordProbesHandler(new CommandRunner(store));
    const commands = {
      execute: (command: unknown) => (command instanceof RecordProbes ? handler.execute(command) : Promise.resolve()),
    } as unknown as CommandBus;
    const report = (error: unknown): void => say(String(error));
    const samples = new PostgresSamples(pool);
    const checker = new Checker({
      gate: openGate,
      ...{ views, log, leases, fences: new ObservationFences(pool), clock: systemClock, report },
      locations: ['eu'],
      countPeers: () => Promise.resolve(() => 1),
      leavePeers: () => Promise.resolve(),
      onTurn: (_, lateMs) => late.push(lateMs),
    });
    const watches = openWatches({
      ...{ checker, pool, samples, views, commands, clock: systemClock, report },
      evidence: new EvidenceKeeper(new ExchangeStore(pool), report),
      prober: new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }) }),
      limits: openLimits({ checkerFetches: 200, checkerProbes: 1_000, accountPercent: 50 }),
      judge: { inspect: () => Promise.reject(new Error('no homepage is inspected here')) },
      onInconclusive: report,
    });
    checker.use({ ...watches, onShardTaken: () => undefined, onEvent: () => undefined });
    await checker.start();
    // Warm-up of two rounds, so that every site has its first verdict.
    await new Promise((settled) => setTimeout(settled, 2 * PERIOD_MS));
    late.length = 0;
    const [from, own, postgres] = [Date.now(), process.cpuUsage(), await postgresSeconds(pool)];
    await new Promise((over) => setTimeout(over, SPAN_MS));
    const { user, system } = process.cpuUsage(own);
    const spent = (user + system) / 1000;
    const inPostgres = spentSince(postgres, await postgresSeconds(pool)) * 1000;
    const to = Date.now();
    await checker.close();
    const reader = new PackReader(pool, outcomeKind);
    let [taken, missing] = [0, 0];
    for (const id of ids) {
      const instants = (await reader.between(id, from, to)).map(({ at }) => at);
      taken += instants.length;
      missing += instants.slice(1).reduce((sum, at, index) => sum + Math.round((at - (instants[index] ?? at)) / PERIOD_MS) - 1, 0);
    }
    say(`${String(taken)} samples in ${String(SPAN_MS / 1000)} s`);
    late.sort((one, other) => one - other);
    return [
      figure('samples of a thousand sites at 15 s that are missing', taken < SITES ? Infinity : missing, 'samples', {
        goal: { atMost: 0 },
      }),
      figure('processor, of one core, over HTTP', (spent / (to - from)) * 100, '%', { goal: { atMost: 25 } }),
      figure('processor of Postgres beside it, of one core', (inPostgres / (to - from)) * 100, '%'),
      figure('lateness, 99 of 100', late[Math.floor(late.length * 0.99)] ?? 0, 'ms', { goal: { atMost: 1000 } }),
    ];
  } finally {
    stop.abort();
    await running;
    await leases.close();
    await readYourWrites.close();
    await wake.close();
    await pool.end();
    site.close();
  }
};

export default bench;

import { openGate } from '../test/support/open-gate.ts';
import type { CommandBus } from '@nestjs/cqrs';
import { SsrfGuard } from '../src/platform/security/ssrf-guard/ssrf-guard.ts';
import { MemoryKeyring } from '../test/support/memory/memory-keyring.ts';
import { Checker } from '../src/checker/checker.ts';
import { openLimits } from '../src/checker/limits.ts';
import { openChecks } from '../src/checker/checks/open-checks.ts';
import { EvidenceKeeper } from '../src/checker/evidence/keep-evidence.ts';
import { ExchangeStore } from '../src/platform/observations/exchanges/exchange-store.ts';
import { Judge } from '../src/checker/judging/judge.ts';
import { Prober } from '../src/checker/probe/prober.ts';
import { CommandRunner } from '../src/platform/commands/command-runner.ts';
import { RecordRun, RecordRunHandler } from '../src/checker/verdicts/verdict.commands.ts';
import { publicArea } from '../src/projects/areas/area.settings.ts';
import { systemClock } from '../src/kernel/clock.ts';
import type { NewEvent } from '../src/kernel/event.ts';
import { derivedId } from '../src/kernel/ids.ts';
import { ObservationFences } from '../src/platform/observations/fences.ts';
import { PostgresRuns } from '../src/platform/observations/runs/postgres-runs.ts';
import { viewLifecycle } from '../src/platform/read-models/views/view-lifecycle.ts';
import { UnitViews } from '../src/platform/read-models/views/unit-views.ts';
import { type Bench, type BenchTools, type Figure, figure } from './support/bench.ts';
import { openPageSite, twentyKilobytes } from './support/page-site.ts';
import { projectCreated } from './support/projects.ts';
import { openBenchParts } from './support/parts.ts';

/** A fifth of the period of 5 minutes; phases are spread evenly, so one minute is representative. */
const SPAN_MS = 60_000;
const WARM_MS = 20_000;

/** 10,000 checks every 5 minutes over HTTP, from the schedule to the verdict: lateness and cost. */
const bench: Bench = async (tools) => [...(await measure(tools, 10_000, 1)), ...(await measure(tools, 2_000, 5))];

export default bench;

async function measure({ database, say }: BenchTools, projects: number, checks: number): Promise<readonly Figure[]> {
  const what = `${projects.toLocaleString('en')} projects of ${String(checks)}`;
  const url = await database();
  const site = await openPageSite(twentyKilobytes());
  const { pool, wake, log, store, leases, unit, readYourWrites } = openBenchParts(url);
  const stop = new AbortController();
  const report = (error: unknown): void => {
    say(String(error));
  };
  const running = viewLifecycle({ unit, log, db: pool, wake, readYourWrites, report }).run(stop.signal);
  const late: number[] = [];
  let ran = 0;
  try {
    await readYourWrites.start();
    say(`making ${what} ...`);
    const ids = Array.from({ length: projects }, (_, index) => derivedId('scheduled', index).replaceAll('-', '').slice(0, 24));
    for (let from = 0; from < ids.length; from += 500)
      await Promise.all(
        ids
          .slice(from, from + 500)
          .map((id) => store.append(`project-${id}`, 'no stream', scheduled(id, `http://127.0.0.1:${String(site.http)}/`, checks))),
      );
    const head = await log.head();
    while (readYourWrites.position() < head) await new Promise((again) => setTimeout(again, 100));
    const views = new UnitViews(unit, log, pool, () => readYourWrites.position()).now();
    const handler = new RecordRunHandler(new CommandRunner(store));
    const commands = {
      execute: (command: unknown) => (command instanceof RecordRun ? handler.execute(command) : Promise.resolve()),
    } as unknown as CommandBus;
    const checker = new Checker({
      gate: openGate,
      ...{ views, log, leases, fences: new ObservationFences(pool), report, clock: systemClock, locations: ['eu'] },
      countPeers: () => Promise.resolve(() => 1),
      leavePeers: () => Promise.resolve(),
      onTurn: (_, lateMs) => late.push(lateMs),
    });
    const part = openChecks({
      ...{ checker, pool, views, log, wake, commands, report, clock: systemClock, onInconclusive: report },
      runs: new PostgresRuns(pool),
      keyring: new MemoryKeyring(),
      evidence: new EvidenceKeeper(new ExchangeStore(pool), report),
      prober: new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }) }),
      judge: new Judge(),
      fetchLimit: openLimits({ checkerFetches: 200, checkerProbes: 1_000, accountPercent: 50 }).fetches,
      onRunEnded: () => ran++,
    });
    // The projects have just been created: there is nothing to resume.
    checker.use({ ...part, onShardTaken: () => undefined, onEvent: () => undefined });
    await checker.start();
    await new Promise((warm) => setTimeout(warm, WARM_MS));
    late.length = 0;
    const [from, own, before] = [performance.now(), process.cpuUsage(), ran];
    await new Promise((over) => setTimeout(over, SPAN_MS));
    const elapsed = performance.now() - from;
    const { user, system } = process.cpuUsage(own);
    const memory = process.memoryUsage().rss / 2 ** 20;
    const made = ran - before;
    late.sort((one, other) => one - other);
    await checker.close();
    say(`${what}: ${String(made)} runs in ${(elapsed / 1000).toFixed(1)} s`);
    return [
      figure(`${what}: runs, a second (33.3 are due)`, (made * 1000) / elapsed, 'runs/s', { goal: { atLeast: 30 } }),
      figure(`${what}: lateness, 99 of 100`, late[Math.floor(late.length * 0.99)] ?? Infinity, 'ms', { goal: { atMost: 1_000 } }),
      figure(`${what}: processor, of one core, read models included`, ((user + system) / 1000 / elapsed) * 100, '%', {
        goal: { atMost: 60 },
      }),
      figure(`${what}: memory of the process`, memory, 'MiB', { goal: { atMost: 400 } }),
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
}

/** A project with one area of checks, each with a text rule. */
function scheduled(projectId: string, url: string, checks: number): readonly NewEvent[] {
  const created = projectCreated(projectId, url, 'false');
  const hex = (...parts: readonly (string | number)[]): string =>
    derivedId(projectId, ...parts)
      .replaceAll('-', '')
      .slice(0, 24);
  const areaId = hex('area');
  const event = (type: string, data: Record<string, unknown>): NewEvent => ({
    ...created,
    id: derivedId(type, JSON.stringify(data)),
    type,
    data,
  });
  const options = { '2': false, '6': false, g: false, l: false, w: null };
  const rules = [{ type: 'text', op: 'sub', val: 'Welcome' }];
  return [
    created,
    event('AreaCreated', { areaId, settings: { ...publicArea, period: '5 minutes' } }),
    ...Array.from({ length: checks }, (_, index) =>
      event('CheckCreated', {
        checkId: hex('check', index),
        areaId,
        settings: {
          name: 'Page',
          url: `/${String(index)}`,
          enabled: true,
          notice: '',
          type: 'simple',
          rules,
          options,
          template: { id: '', vars: [] },
        },
      }),
    ),
  ];
}

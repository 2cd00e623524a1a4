import { Judge } from '../../src/checker/judging/judge.ts';
import { EvidenceKeeper } from '../../src/checker/evidence/keep-evidence.ts';
import { Prober } from '../../src/checker/probe/prober.ts';
import type { WatchedProject } from '../../src/checker/projects/watched-projects.ts';
import { CheckRunner } from '../../src/checker/runs/check-runner.ts';
import { HostGate } from '../../src/checker/runs/host-gate.ts';
import { RunRecorder } from '../../src/checker/runs/run-recorder.ts';
import { VerdictKeeper } from '../../src/checker/verdicts/verdict-keeper.ts';
import { projectStream } from '../../src/kernel/stream-names.ts';
import { ConcurrencyLimit } from '../../src/kernel/concurrency-limit.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { KeyedMutex } from '../../src/kernel/keyed-mutex.ts';
import { ExchangeStore } from '../../src/platform/observations/exchanges/exchange-store.ts';
import { PackCompactor } from '../../src/platform/observations/packs/pack-compactor.ts';
import { KeptAnswers } from '../../src/platform/observations/pages/kept-answers.ts';
import { PostgresRuns } from '../../src/platform/observations/runs/postgres-runs.ts';
import { runKind } from '../../src/platform/observations/runs/run.codec.ts';
import type { MadeRun } from '../../src/platform/observations/runs/run-store.ts';
import { areaView } from '../../src/projects/areas/area.view.ts';
import { checkView } from '../../src/projects/checks/check.view.ts';
import { projectView } from '../../src/projects/project.view.ts';
import type { Installation } from './installation.ts';

/** Runs checks of the past: the checker fetches the page of the demo, judges it, keeps its evidence and decides. */
export class CheckHistory {
  private readonly judge: Judge;
  private readonly recorder: RunRecorder;

  /** `authority`: the root that signed the certificates of the sites. */
  constructor(
    private readonly installation: Installation,
    authority: string,
  ) {
    const { pool, guard, keyring, commands } = installation.parts;
    const runs = new PostgresRuns(pool);
    const compactor = new PackCompactor(pool, runKind);
    const [answers, exchanges] = [new KeptAnswers(pool), new ExchangeStore(pool)];
    this.judge = new Judge({ entry: new URL('../../src/checker/judging/judge-worker.ts', import.meta.url) });
    const clock = systemClock;
    const onNotKept = (error: unknown): never => {
      throw error;
    };
    this.recorder = new RunRecorder({
      runner: new CheckRunner({
        ...{ prober: new Prober({ guard, extraRoots: [authority] }), judge: this.judge, keyring, clock },
        haveEnded: () => Promise.resolve(false),
      }),
      // Straight into the hour that they belong to, which no lease protects any more.
      queue: { add: (_, projectId, run: MadeRun) => compactor.write(projectId, [run]).then(() => true) },
      verdicts: new VerdictKeeper({ commands, runs, clock, sleep: () => Promise.resolve() }),
      // Urgent: the history waits for each, so that gathering them would only cost time.
      answers: { keep: (check, at, answer, passed) => answers.keep(check, at, answer, passed, true) },
      evidence: new EvidenceKeeper({ keep: (exchange) => exchanges.keep({ ...exchange, urgent: true }) }, onNotKept),
      onNotKept,
      gate: new HostGate(() => Promise.resolve()),
      mutex: new KeyedMutex(),
      fetchLimit: new ConcurrencyLimit(8),
      canDecide: () => true,
      sleep: () => Promise.resolve(),
      onInconclusive: (reason) => {
        throw new Error(reason);
      },
      onRunEnded: () => undefined,
      onTitle: () => Promise.resolve(),
    });
  }

  async run(projectId: string, checkId: string, confirming = false): Promise<void> {
    await this.installation.isVisible();
    const watched = await this.watched(projectId);
    const check = watched.checks.get(checkId);
    if (check === undefined) throw new Error(`the project ${projectId} has no check ${checkId}`);
    const lease = { name: 'demo', epoch: 0, signal: new AbortController().signal, release: () => Promise.resolve() };
    const task = { projectId, checkId, lease, jobId: null, chain: null, confirming, currentSubject: () => ({ watched, check }) };
    const { kind } = await this.recorder.start(task).done;
    if (kind !== 'recorded') throw new Error(`the run of ${checkId} was ${kind}`);
  }

  close(): Promise<void> {
    return this.judge.close();
  }

  private async watched(projectId: string): Promise<WatchedProject> {
    const views = this.installation.parts.views.now();
    const scope = projectStream(projectId);
    const project = await views.get(projectView, projectId);
    if (project === null) throw new Error(`there is no project ${projectId}`);
    const areas = await views.list(areaView, { scope });
    const checks = await views.list(checkView, { scope });
    return { project, areas: new Map(areas.map(({ row }) => [row.id, row])), checks: new Map(checks.map(({ row }) => [row.id, row])) };
  }
}

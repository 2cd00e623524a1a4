import { systemContext } from '../../src/platform/commands/context.ts';
import { CommandRunner } from '../../src/platform/commands/command-runner.ts';
import { EndJobHandler, RequestJob, RequestJobHandler } from '../../src/checker/jobs/job.commands.ts';
import { randomIdsOf } from './random.ts';
import { Heartbeats } from '../../src/platform/postgres/heartbeats.ts';
import { AbandonedJobs } from '../../src/operations/abandoned-work/abandoned-jobs.ts';
import { MINUTE } from './time-limits.ts';
import type { PlannedCheck } from './simulated-projects.ts';
import { Machine } from './virtual-time.ts';
import type { SimWorld } from './sim-world.ts';
import { builtInPlans } from '../../src/accounts/plan.ts';

const SWEEP_MS = 10 * MINUTE;
/** The simulated world opens no accounts, so no budget applies. */
const PAYER = 1;
const AGAIN_MS = 3_000;

/** Starts jobs on an instance without a checker, and runs that instance's sweep of abandoned jobs. */
export class JobStarter {
  private readonly machine: Machine;
  private readonly handler: RequestJobHandler;
  private readonly abandonedJobs: AbandonedJobs;
  private readonly newId: () => string;

  constructor(private readonly world: SimWorld) {
    this.machine = new Machine('api', world.time);
    this.newId = randomIdsOf(world.random);
    const runner = new CommandRunner(world.storeOf(this.machine));
    const secret = Buffer.alloc(32);
    this.handler = new RequestJobHandler(runner, world.claims, { secret: () => Promise.resolve(secret) }, builtInPlans);
    const parts = {
      views: world.views,
      runs: world.runs,
      end: new EndJobHandler(runner, world.claims),
      recorded: (positions: readonly number[], beforeMs: number) => {
        const before = (n: number): boolean => Date.parse(world.store.events[n]?.recordedAt ?? '') < world.time.now - beforeMs;
        return Promise.resolve({ now: world.time.now, older: new Set(positions.filter(before)) });
      },
    };
    this.abandonedJobs = new AbandonedJobs(parts, undefined, new Heartbeats(() => world.time.now));
    this.look();
  }

  /** Starts the same group twice at the same time; a start without an answer is retried. */
  start(check: Pick<PlannedCheck, 'projectId' | 'areaId'>, checkIds: readonly string[]): void {
    const request = { projectId: check.projectId, areaId: check.areaId, areaIds: [check.areaId], checkIds, mode: 0 as const };
    for (const commandId of [this.newId(), this.newId()]) void this.world.time.hold(this.press(commandId, request, false));
  }

  private async press(commandId: string, request: RequestJob['fields']['request'], repeat: boolean): Promise<void> {
    const context = systemContext({ kind: 'user', id: '1' }, this.machine.now(), { commandId, repeat });
    try {
      await this.handler.execute(new RequestJob(context, { request, payerId: PAYER }));
    } catch {
      this.machine.after(AGAIN_MS, () => void this.world.time.hold(this.press(commandId, request, true)));
    }
  }

  private look(): void {
    this.machine.after(SWEEP_MS, () => {
      void this.world.time.hold(this.abandonedJobs.abandon()).catch(() => undefined);
      this.look();
    });
  }
}

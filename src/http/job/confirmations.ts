import { Inject, Injectable } from '@nestjs/common';
import { confirmedRuns, LOOK_BACK } from '../../domain/verdict/recent-runs.ts';
import { RUN_STORE, type RunStore } from '../../observations/runs/run-store.ts';

interface Found {
  readonly checkId: string;
  readonly at: number;
  readonly failed: boolean;
}

const isFailed = (run: { readonly outcome: string }): boolean => run.outcome !== 'ok';

/** Whether what a run found was confirmed by now (docs/spec/decisions.md#J6 and #J11): a passing run needs no second one, a failing one the failing run next to it. */
@Injectable()
export class Confirmations {
  constructor(@Inject(RUN_STORE) private readonly runs: RunStore) {}

  of(
    projectId: string,
    runs: readonly { readonly checkId: string; readonly at: number; readonly outcome: string }[],
  ): Promise<(run: { readonly checkId: string; readonly at: number; readonly outcome: string }) => boolean> {
    return this.look(
      projectId,
      runs.filter(isFailed).map(({ checkId, at }) => ({ checkId, at, failed: true })),
    ).then((confirmed) => (run) => !isFailed(run) || confirmed.has(keyOf(run)));
  }

  /** One look for all of them: they belong together and lie close together. */
  private async look(projectId: string, failed: readonly Found[]): Promise<ReadonlySet<string>> {
    if (failed.length === 0) return new Set();
    const checks = new Set(failed.map(({ checkId }) => checkId));
    const first = Math.min(...failed.map(({ at }) => at));
    const last = Math.max(...failed.map(({ at }) => at));
    const [only] = checks.size === 1 ? checks : [];
    const around = await this.runs.between(projectId, first - LOOK_BACK, last + LOOK_BACK, only);
    const confirmed = new Set<string>();
    for (const checkId of checks) {
      const own = around.filter((run) => run.checkId === checkId);
      for (const at of confirmedRuns(own.map((run) => ({ at: run.at, failed: isFailed(run) })))) confirmed.add(keyOf({ checkId, at }));
    }
    return confirmed;
  }
}

const keyOf = ({ checkId, at }: { readonly checkId: string; readonly at: number }): string => `${checkId} ${String(at)}`;

import { Injectable } from '@nestjs/common';
import { LOOK_BACK } from '../instability.ts';
import { confirmedRuns } from '../verdicts/recent-runs.ts';
import { RunStore } from '../../platform/observations/runs/run-store.ts';

interface Found {
  readonly checkId: string;
  readonly at: number;
  readonly failed: boolean;
}

const isFailed = (run: { readonly outcome: string }): boolean => run.outcome !== 'ok';

/** Whether runs are confirmed: a passing run always is, a failing one by an adjacent failing run (docs/spec/decisions.md#J6, #J11). */
@Injectable()
export class Confirmations {
  constructor(private readonly runs: RunStore) {}

  read(
    projectId: string,
    runs: readonly { readonly checkId: string; readonly at: number; readonly outcome: string }[],
    recordedUntil?: number,
  ): Promise<(run: { readonly checkId: string; readonly at: number; readonly outcome: string }) => boolean> {
    return this.confirmedFailures(
      projectId,
      runs.filter(isFailed).map(({ checkId, at }) => ({ checkId, at, failed: true })),
      recordedUntil,
    ).then((confirmed) => (run) => !isFailed(run) || confirmed.has(keyOf(run)));
  }

  /** One query for all of them, because they lie close together in time. */
  private async confirmedFailures(projectId: string, failed: readonly Found[], recordedUntil?: number): Promise<ReadonlySet<string>> {
    if (failed.length === 0) return new Set();
    const checks = new Set(failed.map(({ checkId }) => checkId));
    const first = Math.min(...failed.map(({ at }) => at));
    const last = Math.max(...failed.map(({ at }) => at));
    const [only] = checks.size === 1 ? checks : [];
    const around = await this.runs.between(projectId, first - LOOK_BACK, last + LOOK_BACK, only, recordedUntil);
    const confirmed = new Set<string>();
    for (const checkId of checks) {
      const own = around.filter((run) => run.checkId === checkId);
      for (const at of confirmedRuns(own.map((run) => ({ at: run.at, failed: isFailed(run) })))) confirmed.add(keyOf({ checkId, at }));
    }
    return confirmed;
  }
}

const keyOf = ({ checkId, at }: { readonly checkId: string; readonly at: number }): string => `${checkId} ${String(at)}`;

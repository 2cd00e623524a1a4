import type { CheckerContext } from '../checker.ts';

export interface RetryOptions {
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  readonly report: (error: unknown, activity: string) => void;
}

const RETRY_MS = 2_000;

/** Repeats the work of a shard handover until it succeeds, for the projects whose lease is still held. */
export async function retryWhileLeaseHeld(
  checker: Pick<CheckerContext, 'leaseOf'>,
  projectIds: readonly string[],
  work: (projectIds: readonly string[]) => Promise<void>,
  { sleep, report }: RetryOptions,
): Promise<void> {
  for (let held = projectIds; held.length > 0; held = held.filter((projectId) => checker.leaseOf(projectId) !== undefined)) {
    try {
      await work(held);
      return;
    } catch (error) {
      report(error, 'taking over a shard');
      await sleep(RETRY_MS);
    }
  }
}

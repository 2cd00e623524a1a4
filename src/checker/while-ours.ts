import type { Checker } from './checker.ts';

export interface Patience {
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  readonly report: (error: unknown, what: string) => void;
}

const AGAIN_MS = 2_000;

/** What a new owner of projects has to do for them: tried again until it is done or they are somebody else's. */
export async function whileOurs(
  checker: Checker,
  projectIds: readonly string[],
  work: (projectIds: readonly string[]) => Promise<void>,
  { sleep, report }: Patience,
): Promise<void> {
  for (let open = projectIds; open.length > 0; open = open.filter((projectId) => checker.leaseOf(projectId) !== undefined)) {
    try {
      await work(open);
      return;
    } catch (error) {
      report(error, 'taking over a shard');
      await sleep(AGAIN_MS);
    }
  }
}

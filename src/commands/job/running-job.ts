import type { Claims } from '../../persistence/claims.ts';
import { abandonJob, type Job, jobTarget } from '../../domain/job/job.ts';
import { derivedId } from '../../kernel/ids.ts';
import { systemContext } from '../context.ts';
import type { CommandRunner } from '../command-runner.ts';

/** Kind of claim: of several starts of the same, one runs and the others join it (docs/spec/decisions.md#empty-and-first-values). */
export const RUNNING_JOB = 'running-job';

export const runningJobKey = ({
  projectId,
  areaId,
  mode,
  checkIds,
}: {
  projectId: string;
  areaId: string | null;
  mode: number;
  checkIds: readonly string[];
}): string => (mode === 0 ? `${projectId} ${areaId ?? 'all'}` : `${projectId} ${derivedId(...[...checkIds].sort())}`);

/** What the sweeper and whoever joins know of a claim: its key begins with the project. */
interface RunningJob {
  readonly key: string;
  readonly holder: string;
}

/** A claim was taken and its job did not come: it is barred from coming late. Answers how its stream stands; `requested`: it was faster. */
export async function barJob(runner: CommandRunner, { key, holder: jobId }: RunningJob, now: number): Promise<Job> {
  const context = systemContext({ kind: 'reactor', id: 'sweeper' }, now, { commandId: derivedId('fence', RUNNING_JOB, key, jobId) });
  const target = jobTarget(key.split(' ')[0] ?? '', jobId);
  return (await runner.run(target, context, (job) => abandonJob(job, jobId, new Date(now).toISOString()))).state;
}

export interface JoinPatience {
  /** Between a claim and its request lies one append. */
  readonly requestMs: number;
  readonly lookMs: number;
}

/** Null: the claim is ours. Else the job that is under way. */
export async function joinRunningJob(
  { claims, runner }: { readonly claims: Claims; readonly runner: CommandRunner },
  { key, holder: jobId }: RunningJob,
  { requestMs, lookMs }: JoinPatience = { requestMs: 2_000, lookMs: 20 },
): Promise<string | null> {
  let awaited = { holder: '', until: 0 };
  for (;;) {
    if (await claims.claim(RUNNING_JOB, key, jobId)) return null;
    const holder = await claims.holderOf(RUNNING_JOB, key);
    if (holder === null) continue;
    if (awaited.holder !== holder) awaited = { holder, until: performance.now() + requestMs };
    const standing = await runner.read(jobTarget(key.split(' ')[0] ?? '', holder));
    const late = standing === 'none' && performance.now() >= awaited.until;
    const state = late ? await barJob(runner, { key, holder }, Date.now()) : standing;
    if (state === 'requested') return holder;
    // Its end stands in the stream, so nobody can need the claim any more: a crash left it, or it is being given back just now.
    if (state !== 'none') await claims.release(RUNNING_JOB, key, holder);
    else await new Promise((again) => setTimeout(again, lookMs));
  }
}

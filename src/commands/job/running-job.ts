import { derivedId } from '../../kernel/ids.ts';

/** Kind of claim: of several starts of the same, one runs and the others join it (decisions.md, Empty and first values). */
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

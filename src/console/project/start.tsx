import { useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { errorSentence, service } from '../service/service.ts';

interface StartProps {
  readonly id: string;
  /** That came in live since the page was opened. */
  readonly results: readonly Schemas['LiveResult'][];
}

/** Runs all checks now; their results come in live. */
export function Start({ id, results }: StartProps) {
  const [started, setStarted] = useState<{ readonly jobId: string; readonly total: number } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const start = async (): Promise<void> => {
    setProblem(null);
    try {
      const { data } = await service.get('/project/{id}/start', { path: { id } });
      // Cast: without waiting for the end the answer is the job.
      const { jobId } = data as { readonly jobId: string };
      const jobs = await service.get('/project/{id}/jobs', { path: { id }, query: { limit: 20 } });
      setStarted({ jobId, total: jobs.data.jobs.find((job) => job.jobId === jobId)?.total ?? 0 });
    } catch (error) {
      setProblem(errorSentence(error));
    }
  };
  const ofJob = results.filter(({ jobId, confirming }) => jobId === started?.jobId && !confirming);
  const total = started?.total ?? 0;
  const isRunning = ofJob.length < total;
  const failed = ofJob.filter(({ status }) => status !== 'ok').length;
  return (
    <>
      <button onClick={() => isRunning || void start()} aria-disabled={isRunning}>
        Run all checks now
      </button>
      {isRunning && <progress aria-label="Checks that have run" max={total} value={ofJob.length} />}
      <span role="status" class={problem === null ? 'soft' : 'problem'}>
        {problem ?? (started === null ? '' : progressWords(ofJob.length, total, failed))}
      </span>
    </>
  );
}

function progressWords(done: number, total: number, failed: number): string {
  const failures = failed === 0 ? '' : `, ${String(failed)} failed`;
  if (done >= total) return `${total === 1 ? 'The check has' : 'All checks have'} run${failures}.`;
  return `${String(done)} of ${String(total)} ${total === 1 ? 'check has' : 'checks have'} run${failures}`;
}

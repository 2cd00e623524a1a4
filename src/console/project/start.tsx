import { useState } from 'preact/hooks';
import { errorSentence, service } from '../service/service.ts';

/** Runs all checks now; their results come in live. */
export function Start({ id, ran }: { readonly id: string; readonly ran: number }) {
  const [started, setStarted] = useState<{ readonly total: number; readonly from: number } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const start = async (): Promise<void> => {
    setProblem(null);
    try {
      const { data } = await service.get('/project/{id}/start', { path: { id } });
      // Cast: without waiting for the end the answer is the job.
      const { jobId } = data as { readonly jobId: string };
      const jobs = await service.get('/project/{id}/jobs', { path: { id }, query: { limit: 20 } });
      setStarted({ total: jobs.data.jobs.find((job) => job.jobId === jobId)?.total ?? 0, from: ran });
    } catch (error) {
      setProblem(errorSentence(error));
    }
  };
  const done = started === null ? 0 : Math.min(started.total, ran - started.from);
  const isRunning = started !== null && done < started.total;
  return (
    <>
      <button onClick={() => void start()} disabled={isRunning}>
        Run all checks now
      </button>
      <span role="status" class="soft">
        {problem ??
          (started === null ? '' : isRunning ? `${String(done)} of ${String(started.total)} checks have run` : 'All checks have run.')}
      </span>
    </>
  );
}

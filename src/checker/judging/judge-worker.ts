import { parentPort } from 'node:worker_threads';
import { isSpent } from './wasm-memory.ts';
import { ownThread } from './thread-time.ts';
import type { Ready } from './worker-pool.ts';
import type { WorkerReport, WorkerTask } from './judge-job.ts';
import { judgePage } from './judge-page.ts';
import { judgeXPaths } from './judge-xpaths.ts';
import { xpathProblem } from '../rules/xpath.ts';

/** The thread that may be stopped at any time: it holds nothing but the task at hand. */
const port = parentPort;
if (port === null) throw new Error('judge-worker runs as a worker thread only');
const report = (event: WorkerReport): void => port.postMessage(event);

port.on('message', (task: WorkerTask) => {
  if (task.kind === 'judge') judgePage(task.job, report, judgeXPaths);
  else report({ kind: 'syntax', problems: task.expressions.map(xpathProblem) });
  port.postMessage(isSpent() ? 'spent' : 'done');
});
port.postMessage({ ready: ownThread() } satisfies Ready);

import { parentPort } from 'node:worker_threads';
import { ownThread } from '../judging/thread-time.ts';
import type { Ready } from '../judging/worker-pool.ts';
import type { FormsTask } from './found-form.ts';
import { readForms } from './read-forms.ts';

/** A thread of its own: jsdom is slow and large, and pages are not to be trusted with the time of everybody. */
const port = parentPort;
if (port === null) throw new Error('forms-worker runs as a worker thread only');
port.on('message', (task: FormsTask) => {
  port.postMessage(readForms(task));
  port.postMessage('done');
});
port.postMessage({ ready: ownThread() } satisfies Ready);

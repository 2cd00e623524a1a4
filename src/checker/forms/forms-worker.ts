import { parentPort } from 'node:worker_threads';
import { threadStatPath } from '../judging/thread-time.ts';
import type { WorkerReady } from '../judging/worker-slot.ts';
import type { FormsTask } from './found-form.ts';
import { readForms } from './read-forms.ts';

/** Worker thread: jsdom is slow and large, and a hostile page must not block the main thread. */
const port = parentPort;
if (port === null) throw new Error('forms-worker must run as a worker thread');
port.on('message', (task: FormsTask) => {
  port.postMessage(readForms(task));
  port.postMessage('done');
});
port.postMessage({ ready: threadStatPath() } satisfies WorkerReady);

import { parentPort } from 'node:worker_threads';
import { threadStatPath } from '../../checker/judging/thread-time.ts';
import type { WorkerReady } from '../../checker/judging/worker-slot.ts';
import { readYaml, type YamlProblem } from '../yaml-text.ts';

/** A text, read: its documents as data. */
export interface YamlValues {
  readonly values: readonly unknown[];
  readonly problems: readonly YamlProblem[];
}

/** Worker thread: parses a part of many texts beside the others. */
const port = parentPort;
if (port === null) throw new Error('yaml-worker must run as a worker thread');
// The parser reads a variable of the environment at every token, which takes half of its time unless the environment is a plain object.
process.env = { ...process.env };
port.on('message', (texts: readonly string[]) => {
  const read = texts.map(readYaml);
  port.postMessage(
    read.map(({ documents, problems }) => ({ values: documents.map(({ value }) => value), problems })) satisfies readonly YamlValues[],
  );
  port.postMessage('done');
});
port.postMessage({ ready: threadStatPath() } satisfies WorkerReady);

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Limits a process to a share of one core, from now until the answer is called. */
export function limitProcessor(pid: number, share: number): () => Promise<void> {
  const child = fork(join(import.meta.dirname, 'cpu-quota.mjs'), { execArgv: [] });
  child.send({ pid, share });
  return async () => {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  };
}

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf, isAlive, processesTagged, signal } from './processes.ts';

/**
 * After a kill -9 of the service its Postgres may still run, or be stopping; after one of Postgres a `postmaster.pid` stays, whose pid may
 * belong to somebody else by now. Whatever runs on this cluster is stopped in order, at worst hard (recovery follows), and only then the file goes:
 * two postmasters on one cluster would destroy it.
 */
export async function clearLeftovers(cluster: string, tag: string, say: (line: string) => void): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const pid = pidIn(file);
  const running = (): readonly number[] => processesTagged(tag);
  if (running().length > 0) {
    say('stopping the database of a service that was killed');
    await stopAll(running, pid);
  }
  if (pid === undefined || (isAlive(pid) && /postgres|postmaster/.test(commandOf(pid)))) return;
  rmSync(file, { force: true });
}

async function stopAll(running: () => readonly number[], postmaster: number | undefined): Promise<void> {
  const steps = [
    ['SIGINT', 8_000],
    ['SIGQUIT', 3_000],
    ['SIGKILL', 2_000],
  ] as const;
  for (const [name, patience] of steps) {
    const left = running();
    // The postmaster tells its children itself; without one they see that it is gone and end.
    for (const pid of name !== 'SIGKILL' && postmaster !== undefined && left.includes(postmaster) ? [postmaster] : left) signal(pid, name);
    const deadline = Date.now() + patience;
    while (Date.now() < deadline) {
      if (running().length === 0) return;
      await sleep(20);
    }
  }
}

function pidIn(file: string): number | undefined {
  try {
    const pid = parseInt(readFileSync(file, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

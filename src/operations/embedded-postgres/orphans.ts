import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf, isAlive, processesTagged, signal } from './processes.ts';

/**
 * Stops a Postgres that outlived its service (kill -9), at worst by SIGKILL, from which Postgres recovers, and then removes a stale
 * `postmaster.pid`, whose pid may belong to another program by now. Two postmasters on one cluster would destroy it.
 */
export async function stopOrphans(cluster: string, tag: string, say: (line: string) => void): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const pid = pidIn(file);
  const running = (): readonly number[] => processesTagged(tag);
  if (running().length > 0) {
    say('stopping the database of a killed service');
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
  for (const [name, timeoutMs] of steps) {
    const orphans = running();
    // The postmaster signals its children; without a postmaster they exit by themselves.
    for (const pid of name !== 'SIGKILL' && postmaster !== undefined && orphans.includes(postmaster) ? [postmaster] : orphans)
      signal(pid, name);
    const deadline = Date.now() + timeoutMs;
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

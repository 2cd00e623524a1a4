import { readFileSync, readdirSync } from 'node:fs';
import type pg from 'pg';

const TICKS_A_SECOND = 100;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

function statOf(pid: number): Stat | null {
  try {
    const fields =
      readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
        .split(') ')
        .at(-1)
        ?.split(' ') ?? [];
    return { pid, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return null;
  }
}

/** CPU seconds of a process since its start. */
export const processSeconds = (pid: number): number => (statOf(pid)?.ticks ?? NaN) / TICKS_A_SECOND;

/** Until a process has nothing left to do, such as sealing what it found. */
export async function untilIdle(pid: number): Promise<void> {
  for (let before = -Infinity, now = processSeconds(pid); now - before > 0.1; before = now, now = processSeconds(pid))
    await new Promise((done) => setTimeout(done, 1_000));
}

/** CPU seconds of each process of a Postgres. */
export async function postgresSeconds(pool: pg.Pool): Promise<ReadonlyMap<number, number>> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const parent = statOf(rows[0]?.pid ?? 0)?.parent ?? 0;
  const family = readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    return stat !== null && (stat.parent === parent || stat.pid === parent) ? [stat] : [];
  });
  return new Map(family.map(({ pid, ticks }) => [pid, ticks / TICKS_A_SECOND]));
}

/** Processes that ended in between are left out. */
export const spentSince = (before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number =>
  [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);

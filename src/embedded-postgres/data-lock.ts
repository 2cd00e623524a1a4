import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartRefused } from '../kernel/start-refused.ts';
import { codeOf, reasonOf } from '../kernel/system-error.ts';
import { isAlive, pidNamespace, startOf } from './processes.ts';

const HEARTBEAT_MS = 2_000;
const WATCH_MS = 5_000;
const FORGOTTEN_MS = 60_000;

interface Holder {
  readonly pid: number;
  readonly start: string | undefined;
  readonly namespace: string;
}

export interface DataLock {
  release(): void;
}

/**
 * One process a data folder. Within one machine the holder's pid and start time tell at once whether it lives; the holder of another
 * container or machine, whose pids mean nothing here, is told by the heartbeat that it leaves on the file.
 */
export async function lockDataFolder(dataDir: string): Promise<DataLock> {
  makeDataFolder(dataDir);
  const path = join(dataDir, 'service.lock');
  const mine = `${path}.${String(process.pid)}`;
  const me: Holder = { pid: process.pid, start: startOf(process.pid), namespace: pidNamespace() };
  announce(mine, me, dataDir);
  try {
    while (!take(mine, path, dataDir)) {
      const holder = readHolder(path);
      if (holder === 'gone') continue;
      if (await lives(holder, me, path)) throw new StartRefused(inUse(dataDir, holder));
      removeStale(path, holder);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return hold(path);
}

/** The process that holds the folder, when one does and it lives. */
export async function holderOf(dataDir: string): Promise<number | undefined> {
  const path = join(dataDir, 'service.lock');
  const holder = readHolder(path);
  if (holder === 'gone') return undefined;
  const me: Holder = { pid: process.pid, start: startOf(process.pid), namespace: pidNamespace() };
  return (await lives(holder, me, path)) ? (holder?.pid ?? 0) : undefined;
}

function makeDataFolder(dataDir: string): void {
  try {
    // Others may pass through, as the database's own user must when the service runs as root; what lies inside is closed by itself.
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  } catch (cause) {
    throw new StartRefused(`DATA_DIR ${dataDir} cannot be made: ${reasonOf(cause)}`, { cause });
  }
}

function announce(mine: string, me: Holder, dataDir: string): void {
  try {
    writeFileSync(mine, JSON.stringify(me), { mode: 0o644 });
  } catch (cause) {
    removeQuietly(mine);
    throw notWritable(dataDir, cause);
  }
}

/** A full disk leaves an empty file; where not even that could be made, there is nothing to remove. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Why it could not be written says enough.
  }
}

/** A link either is made whole or fails: two that start together cannot both have it. */
function take(mine: string, path: string, dataDir: string): boolean {
  try {
    linkSync(mine, path);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw notWritable(dataDir, cause);
  }
}

function readHolder(path: string): Holder | undefined | 'gone' {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return 'gone';
  }
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

async function lives(holder: Holder | undefined, me: Holder, path: string): Promise<boolean> {
  if (holder?.namespace === me.namespace) return isAlive(holder.pid) && startOf(holder.pid) === holder.start;
  const before = heartbeat(path);
  if (before === undefined || Date.now() - before > FORGOTTEN_MS) return false;
  await sleep(WATCH_MS);
  return heartbeat(path) !== before;
}

/** Moved aside first, so that of two that found it stale only one removes it, and never a lock that was taken meanwhile. */
function removeStale(path: string, stale: Holder | undefined): void {
  const aside = `${path}.stale-${String(process.pid)}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const moved = readHolder(aside);
  if (moved !== 'gone' && JSON.stringify(moved) !== JSON.stringify(stale)) linkSync(aside, path);
  rmSync(aside, { force: true });
}

function hold(path: string): DataLock {
  const beat = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(path, now, now);
    } catch {
      // The folder may be away for a moment; the database will say so itself.
    }
  }, HEARTBEAT_MS).unref();
  return {
    release: () => {
      clearInterval(beat);
      rmSync(path, { force: true });
    },
  };
}

const notWritable = (dataDir: string, cause: unknown): StartRefused =>
  new StartRefused(`DATA_DIR ${dataDir} cannot be written: ${reasonOf(cause)}`, { cause });

const heartbeat = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs;

const inUse = (dataDir: string, holder: Holder | undefined): string =>
  `DATA_DIR ${dataDir} is in use by another Watchledger (process ${String(holder?.pid)}): stop it first, or give this one a DATA_DIR of its own`;

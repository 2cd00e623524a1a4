import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartRefused } from '../../kernel/start-refused.ts';
import { codeOf, reasonOf } from '../../kernel/system-error.ts';
import { isAlive, pidNamespace, startOf } from './processes.ts';

const HEARTBEAT_MS = 2_000;
const WATCH_MS = 5_000;
const STALE_MS = 60_000;

interface Holder {
  readonly pid: number;
  readonly start: string | undefined;
  readonly namespace: string;
}

export interface DataLock {
  release(): void;
}

/**
 * A lock file: one process per data folder. On the same machine the holder's pid and start time show at once whether it is alive; a holder in
 * another container or on another machine shows it by the heartbeat, the modification time of the file.
 */
export async function lockDataFolder(dataDir: string): Promise<DataLock> {
  makeDataFolder(dataDir);
  const path = join(dataDir, 'service.lock');
  const mine = `${path}.${String(process.pid)}`;
  const me: Holder = { pid: process.pid, start: startOf(process.pid), namespace: pidNamespace() };
  writeCandidate(mine, me, dataDir);
  try {
    while (!acquire(mine, path, dataDir)) {
      const holder = readHolder(path);
      if (holder === 'none') continue;
      if (await isHolderAlive(holder, me, path)) throw new StartRefused(inUse(dataDir, holder));
      removeStale(path, holder);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return keepHeartbeat(path);
}

/** The pid of the live process that holds the folder. */
export async function holderOf(dataDir: string): Promise<number | undefined> {
  const path = join(dataDir, 'service.lock');
  const holder = readHolder(path);
  if (holder === 'none') return undefined;
  const me: Holder = { pid: process.pid, start: startOf(process.pid), namespace: pidNamespace() };
  return (await isHolderAlive(holder, me, path)) ? (holder?.pid ?? 0) : undefined;
}

function makeDataFolder(dataDir: string): void {
  try {
    // Passable for others, such as the database's user when the service runs as root; the content has modes of its own.
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  } catch (cause) {
    throw new StartRefused(`DATA_DIR ${dataDir} cannot be created: ${reasonOf(cause)}`, { cause });
  }
}

function writeCandidate(mine: string, me: Holder, dataDir: string): void {
  try {
    writeFileSync(mine, JSON.stringify(me), { mode: 0o644 });
  } catch (cause) {
    removeQuietly(mine);
    throw notWritable(dataDir, cause);
  }
}

/** A full disk leaves an empty file, or none. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The error of the write is the one to report.
  }
}

/** Linking is atomic: of two processes that start together only one succeeds. */
function acquire(mine: string, path: string, dataDir: string): boolean {
  try {
    linkSync(mine, path);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw notWritable(dataDir, cause);
  }
}

function readHolder(path: string): Holder | undefined | 'none' {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return 'none';
  }
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

async function isHolderAlive(holder: Holder | undefined, me: Holder, path: string): Promise<boolean> {
  if (holder?.namespace === me.namespace) return isAlive(holder.pid) && startOf(holder.pid) === holder.start;
  const before = heartbeat(path);
  if (before === undefined || Date.now() - before > STALE_MS) return false;
  await sleep(WATCH_MS);
  return heartbeat(path) !== before;
}

/** Moved aside first: of two processes that found it stale only one removes it, and never a lock that was acquired in between. */
function removeStale(path: string, stale: Holder | undefined): void {
  const aside = `${path}.stale-${String(process.pid)}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const moved = readHolder(aside);
  if (moved !== 'none' && JSON.stringify(moved) !== JSON.stringify(stale)) linkSync(aside, path);
  rmSync(aside, { force: true });
}

function keepHeartbeat(path: string): DataLock {
  const beat = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(path, now, now);
    } catch {
      // A folder that is unavailable for a moment shows in the errors of the database.
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
  `DATA_DIR ${dataDir} is in use by another Watchledger (process ${String(holder?.pid)}): stop that one, or set another DATA_DIR`;

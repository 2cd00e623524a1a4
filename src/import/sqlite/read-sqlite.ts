import { setTimeout as sleep } from 'node:timers/promises';
import { StartRefused } from '../../kernel/start-refused.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { SqliteChanged, SqliteDamaged, SqliteSnapshot } from './sqlite-snapshot.ts';
import { SqliteDatabase } from './sqlite-database.ts';

/** How often a database is read that changes meanwhile. */
const PATIENCE = { attempts: 10, waitMs: 300 };

/** What `read` finds as of one instant, in a database that another program may be writing. It runs again where a writer came in between. */
export async function readSqlite<Found>(
  path: string,
  read: (database: SqliteDatabase) => Found,
  { attempts, waitMs } = PATIENCE,
): Promise<Found> {
  for (let attempt = 1; ; attempt++) {
    const found = await attemptRead(path, read);
    if (found.kind === 'found') return found.value;
    if (attempt === attempts)
      throw new StartRefused(`${path}: is written all the time (${found.reason}): stop its program for a moment, or import a copy`);
    await sleep(waitMs);
  }
}

type Attempt<Found> = { readonly kind: 'found'; readonly value: Found } | { readonly kind: 'changed'; readonly reason: string };

async function attemptRead<Found>(path: string, read: (database: SqliteDatabase) => Found): Promise<Attempt<Found>> {
  let snapshot: SqliteSnapshot | null = null;
  try {
    snapshot = await SqliteSnapshot.open(path);
    const value = read(new SqliteDatabase(snapshot));
    snapshot.verify();
    return { kind: 'found', value };
  } catch (error) {
    // Pages of different instants may seem damaged.
    const reason = error instanceof SqliteDamaged ? changeOf(snapshot) : error instanceof SqliteChanged ? error.message : null;
    if (reason !== null) return { kind: 'changed', reason };
    throw new StartRefused(`${path}: cannot be read: ${reasonOf(error)}`);
  } finally {
    snapshot?.close();
  }
}

function changeOf(snapshot: SqliteSnapshot | null): string | null {
  try {
    snapshot?.verify();
    return null;
  } catch (error) {
    return error instanceof SqliteChanged ? error.message : null;
  }
}

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StartRefused } from '../../kernel/start-refused.ts';
import { reasonOf } from '../../kernel/system-error.ts';

/** Address and password of the embedded database, in a file beside it that only the owner can read. */
export interface Credentials {
  readonly port: number;
  readonly password: string;
}

export const DATABASE_NAME = 'watchledger';
export const USER = 'watchledger';

export const databaseUrlOf = ({ port, password }: Credentials, database = DATABASE_NAME): string =>
  `postgres://${USER}:${password}@127.0.0.1:${String(port)}/${database}`;

export function readCredentials(dataDir: string): Credentials | undefined {
  const path = fileIn(dataDir);
  if (!existsSync(path)) return undefined;
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isCredentials(found)) return found;
  } catch (cause) {
    throw new StartRefused(
      `${path} cannot be read (${reasonOf(cause)}): start the service as the user that created it, or restore the file`,
      {
        cause,
      },
    );
  }
  throw new StartRefused(`${path} does not contain the database's port and password: restore it from a backup`);
}

/** The previous port while it is free, so that an operator's tools keep working; the password never changes. */
export async function ensureCredentials(dataDir: string): Promise<Credentials> {
  const kept = readCredentials(dataDir);
  if (kept !== undefined && (await isFree(kept.port))) return kept;
  const credentials = { port: await freePort(), password: kept?.password ?? randomBytes(24).toString('hex') };
  const path = fileIn(dataDir);
  writeFileSync(`${path}.new`, JSON.stringify(credentials), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return credentials;
}

const fileIn = (dataDir: string): string => join(dataDir, 'postgres.json');

const isFree = async (port: number): Promise<boolean> => (await listenOnce(port)) === port;

async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === undefined) throw new StartRefused('no port is free on 127.0.0.1 for the embedded Postgres');
  return port;
}

/** The port that could be bound; undefined when it is in use. */
const listenOnce = (wanted: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' ? address?.port : undefined);
      });
    });
  });

const isCredentials = (value: unknown): value is Credentials =>
  typeof value === 'object' &&
  value !== null &&
  'port' in value &&
  typeof value.port === 'number' &&
  'password' in value &&
  typeof value.password === 'string';

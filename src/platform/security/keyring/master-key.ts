import { randomBytes, createCipheriv, createDecipheriv } from 'node:crypto';
import { chmod, link, mkdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';

const FILE = 'master.key';
const PREVIOUS_FILE = 'master.key.previous';
const BYTES = 32;

type Given = Pick<Config, 'masterKey' | 'masterKeyPrevious' | 'dataDir'>;

/** `MASTER_KEY` and `MASTER_KEY_PREVIOUS`, else the files, of which the first start creates one: a copy of the database without them reveals no secret. */
export async function loadMasterKeys(given: Given): Promise<readonly Buffer[]> {
  if (given.masterKey === undefined && (await read(join(given.dataDir, FILE))) === null) await create(given.dataDir, FILE);
  return findMasterKeys(given);
}

/** The existing master keys, the newest first; never creates one. */
export async function findMasterKeys({ masterKey, masterKeyPrevious, dataDir }: Given): Promise<readonly Buffer[]> {
  const found =
    masterKey === undefined ? [await read(join(dataDir, FILE)), await read(join(dataDir, PREVIOUS_FILE))] : [masterKey, masterKeyPrevious];
  return found.filter((key) => key !== null && key !== undefined);
}

/** A new key in `DATA_DIR`, the present one beside it. At every instant at least one of the files holds the present key. */
export async function renewMasterKeyFile(dataDir: string): Promise<void> {
  const [path, next] = [join(dataDir, FILE), join(dataDir, `${FILE}.next`)];
  await rm(next, { force: true });
  await create(dataDir, `${FILE}.next`);
  const copy = join(dataDir, `${PREVIOUS_FILE}.draft`);
  await writeFile(copy, await readFile(path), { mode: 0o600, flush: true });
  await rename(copy, join(dataDir, PREVIOUS_FILE));
  await rename(next, path);
}

async function read(path: string): Promise<Buffer | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (has(error, 'ENOENT')) return null;
    throw error;
  });
  if (text === null) return null;
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length !== BYTES) throw new Error(`${path} does not hold a key of ${String(BYTES)} bytes in hex: restore the original file`);
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) await chmod(path, 0o600);
  return key;
}

/** Written to a draft and then linked, which is atomic: a crash leaves no partial key, and of concurrent starts the first one wins. */
async function create(dataDir: string, name: string): Promise<void> {
  const path = join(dataDir, name);
  await mkdir(dataDir, { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${randomBytes(BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, path);
  } catch (error) {
    if (!has(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
  if ((await read(path)) === null) throw new Error(`${path} was deleted while it was being created`);
}

const has = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

export class MasterKeyWrong extends Error {
  override readonly name = 'MasterKeyWrong';
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Envelope encryption: wraps a key with the master key by AES-256-GCM. The name is authenticated, so a wrapped key works under its name only. */
export function wrap(master: Uint8Array, name: string, key: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', master, iv).setAAD(Buffer.from(name));
  return Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
}

export function unwrap(master: Uint8Array, name: string, wrapped: Uint8Array): Buffer {
  const bytes = Buffer.from(wrapped);
  const decipher = createDecipheriv('aes-256-gcm', master, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new MasterKeyWrong(`the master key cannot decrypt "${name}": set the master key with which this database was created`, { cause });
  }
}

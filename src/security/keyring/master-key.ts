import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'master.key';
const BYTES = 32;

/** `MASTER_KEY`, else the file that the first start creates: a copy of the database without it reveals no secret. */
export async function loadMasterKey(given: Buffer | undefined, dataDir: string): Promise<Buffer> {
  if (given !== undefined) return given;
  const path = join(dataDir, FILE);
  return (await read(path)) ?? (await create(dataDir, path));
}

/** The existing master key, else null; never creates one. */
export const findMasterKey = (given: Buffer | undefined, dataDir: string): Promise<Buffer | null> =>
  given === undefined ? read(join(dataDir, FILE)) : Promise.resolve(given);

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
async function create(dataDir: string, path: string): Promise<Buffer> {
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
  const key = await read(path);
  if (key === null) throw new Error(`${path} was deleted while it was being created`);
  return key;
}

const has = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

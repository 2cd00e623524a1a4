import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, createBrotliDecompress } from 'node:zlib';

const FOLDER = resolve(import.meta.dirname, '../chromium');
const PACKAGES = join(FOLDER, 'node_modules');
export const PUPPETEER = join(PACKAGES, 'puppeteer-core/lib/esm/puppeteer/puppeteer-core.js');

export interface Chromium {
  readonly executablePath: string;
  /** Shared libraries that a small system lacks, such as NSS; null: those of the system. */
  readonly libraries: string | null;
}

/** The first worker of a run installs the packages and unpacks the browser, the others wait. */
export async function readyChromium(folder: string): Promise<Chromium> {
  const [own, ready] = [process.env['CHROME_PATH'], join(folder, 'ready')];
  if (isFirst(join(folder, 'first'))) {
    install();
    if (own === undefined) await unpack(folder);
    writeFileSync(ready, '');
  }
  while (!existsSync(ready)) await sleep(50);
  return own === undefined
    ? { executablePath: join(folder, 'chromium'), libraries: join(folder, 'al2023/lib') }
    : { executablePath: own, libraries: null };
}

function isFirst(mark: string): boolean {
  try {
    mkdirSync(mark);
    return true;
  } catch {
    return false;
  }
}

/** Apart from the packages of the service, which `npm start` installs: this is a quarter more to download. */
function install(): void {
  const wanted = createHash('sha256')
    .update(readFileSync(join(FOLDER, 'package-lock.json')))
    .digest('hex');
  const stamp = join(PACKAGES, '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const { status, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: FOLDER, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the packages of test/chromium could not be installed: ${stderr}`);
  writeFileSync(stamp, wanted);
}

async function unpack(folder: string): Promise<void> {
  const from = join(PACKAGES, '@sparticuz/chromium/bin');
  const libraries = brotliDecompressSync(readFileSync(join(from, 'al2023.tar.br')));
  const { status, stderr } = spawnSync('tar', ['-x', '-C', folder], { input: libraries, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the libraries of Chromium could not be unpacked: ${stderr}`);
  await pipeline(
    createReadStream(join(from, 'chromium.br')),
    createBrotliDecompress(),
    createWriteStream(join(folder, 'chromium'), { mode: 0o700 }),
  );
}

/** The browsers of the workers (`test/support/chromium.ts`), their profiles and what they unpacked. */
export function endChromium(folder: string): void {
  for (const worker of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = join(folder, worker, 'pid');
    if (existsSync(pid)) end(Number(readFileSync(pid, 'utf8')));
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

function end(pid: number): void {
  try {
    // With the processes of its pages, which write to the profile: it has a group of its own.
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended with its worker.
  }
}

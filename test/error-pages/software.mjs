import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const open = [];
export const onClose = (close) => open.push(close);
/** Ends what the last source started. */
export async function closeAll() {
  for (const close of open.splice(0).reverse()) await close();
}

export function folder() {
  const path = mkdtempSync(join(tmpdir(), 'error-pages-'));
  open.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function file(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

export function has(command) {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Debug pages show the environment, so there is little in it. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin', HOME: tmpdir(), LANG: 'C.UTF-8' };

/** Starts a server and waits until its port answers. */
export async function serve(command, args, { port, cwd, env = {} }) {
  const child = spawn(command, args, { cwd, env: { ...ENVIRONMENT, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said = (said + text).slice(-2000)));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  open.push(async () => {
    if (child.exitCode === null) kill(child.pid, 'SIGTERM');
    await Promise.race([ended, pause(3000).then(() => kill(child.pid, 'SIGKILL'))]);
  });
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${said}`);
    const answer = await get(`http://127.0.0.1:${String(port)}/`).catch(() => null);
    if (answer !== null) return `http://127.0.0.1:${String(port)}`;
    await pause(200);
  }
  throw new Error(`${command} does not answer: ${said}`);
}

function kill(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The page as a browser gets it: it prefers HTML. */
export function get(url, { headers = {}, method = 'GET', body, path, timeout = 5000 } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        ...(path !== undefined && { path }),
        method,
        timeout,
        headers: { accept: 'text/html,*/*;q=0.8', 'user-agent': 'Mozilla/5.0', ...headers },
      },
      (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () =>
          resolve({ status: answer.statusCode, type: answer.headers['content-type'] ?? '', body: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    sent.once('error', reject);
    sent.once('timeout', () => sent.destroy(new Error('timeout')));
    sent.end(body);
  });
}

/** Packages from npm in a folder of their own. */
export function npm(...packages) {
  const path = folder();
  file(join(path, 'package.json'), '{"type":"module"}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', '--no-package-lock', ...packages], { cwd: path, stdio: 'ignore' });
  return path;
}

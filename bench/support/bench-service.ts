import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BenchTools } from './bench.ts';
import { type Program, startProgram } from './program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const ADMIN = { email: 'bench@example.test', password: 'correct horse battery staple' };

/** The body of the answer to a GET, or to a POST of this body. */
export async function json(url: string, body: object | null, token?: string): Promise<string> {
  const answer = await fetch(url, {
    method: body === null ? 'GET' : 'POST',
    headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.text();
}

/** The built service on an empty database, started for the second time. `settings`: besides those of every bench. */
export async function withService<T>(
  tools: BenchTools,
  work: (service: Program, url: string, jwtKey: string) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-bench-'));
  const jwtKey = randomBytes(32).toString('hex');
  const url = await tools.database();
  const env = {
    ...{ PORT: '0', DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString('hex'), JWT_KEY: jwtKey, RATE_LIMIT: '0', LOG_LEVEL: 'info' },
    ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, DATA_DIR: join(folder, 'data') },
    ...settings,
  };
  try {
    const first = await startProgram(join(ROOT, 'dist/main.js'), env, folder);
    await first.stop();
    const service = await startProgram(join(ROOT, 'dist/main.js'), env, folder);
    try {
      return await work(service, url, jwtKey);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../support/api-client.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { watchledgerIn } from '../../support/command-line.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

interface Block {
  readonly language: string;
  readonly file: string;
  readonly text: string;
}

let blocks: readonly Block[];
let folder: string;
let service: TestService | undefined;

beforeAll(async () => {
  const guide = await readFile(join(ROOT, 'docs/projections.md'), 'utf8');
  blocks = [...guide.matchAll(/^```(\w*) ?(\S*)\n([\s\S]*?)^```$/gm)].map(([, language = '', file = '', text = '']) => ({
    language,
    file,
    text,
  }));
  folder = await mkdtemp(join(tmpdir(), 'watchledger-guide-'));
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

const code = (): readonly Block[] => blocks.filter(({ language }) => language === 'ts');
const lines = (): readonly string[] =>
  blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n').filter((line) => line !== ''));
const line = (part: string): string => lines().find((candidate) => candidate.includes(part)) ?? `no line with ${part}`;

/** Runs `npm run cli -- …` as in an installed and built clone. */
async function watchledger(command: string, env: Readonly<Record<string, string>>): Promise<string> {
  const args = [...command.replace(/^npm run cli -- /, '').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const { status, out, err } = await watchledgerIn(folder, env, ...args).ran;
  expect([command, status, err]).toEqual([command, 0, '']);
  return out;
}

describe('docs/projections.md', () => {
  it('contains only code that is compiled, linted and tested in the tree', async () => {
    expect(code().length).toBeGreaterThan(4);
    for (const { file, text } of code()) {
      const whole = await readFile(join(ROOT, file), 'utf8');
      expect([file, whole.includes(text.trimEnd())]).toEqual([file, true]);
    }
  });

  it('names only existing commands, laws and functions', async () => {
    const known =
      /^(npm run cli -- |npm test -- teams\/|npm start|PROJECTIONS=\S+ (ALLOW_TARGETS=\S+ )?npm start|BASE=|TOKEN=|PROJECT=|curl )/;
    expect(lines().filter((candidate) => !known.test(candidate))).toEqual([]);
    for (const command of lines().filter((candidate) => /projections (parked|retry|skip) /.test(candidate))) {
      const [, action = ''] = /projections (\w+)/.exec(command) ?? [];
      expect(await watchledger(`npm run cli -- projections ${action} --help`, {})).toContain(`watchledger projections ${action} NAME`);
    }
  });

  it('leads from an empty folder to a queried table', async () => {
    await watchledger(line('generate projection'), {});
    const projection = code().find(({ file }) => file.endsWith('failures-by-hour.projection.ts'))?.text ?? '';
    const started = /PROJECTIONS=(\S+) ALLOW_TARGETS=(\S+) npm start/.exec(line('ALLOW_TARGETS')) ?? [];
    const file = join(folder, started[1] ?? '');
    expect(await readFile(file, 'utf8')).toContain(`name: 'failures_by_hour'`);
    await writeFile(file, projection);
    const masterKey = 'ab'.repeat(32);
    service = await TestService.start({ env: { PROJECTIONS: file, ALLOW_TARGETS: started[2] ?? '', MASTER_KEY: masterKey } });
    const api = await new ApiClient(service.url).signIn(ADMIN.email, ADMIN.password);
    const [, path = '', body = ''] = /\$BASE(\/\S+).*-d '(.*?)'/.exec(line('project/create')) ?? [];
    const port = new URL(service.url).port;
    const made = await api.post(path, JSON.parse(body.replace(':3000', `:${port}`)) as object);
    expect(made.status).toBe(200);
    const [, start = ''] = /\$BASE(\/project\/\S+\/start)/.exec(line('/start')) ?? [];
    expect((await api.get(start.replace('$PROJECT', String(made.body.id)))).status).toBe(200);
    const env = { DATABASE_URL: service.database.url, MASTER_KEY: masterKey };
    const { pool } = service.database;
    await until(
      async () => (await pool.query('SELECT FROM p_failures_by_hour.failures').catch(() => ({ rowCount: 0 }))).rowCount !== 0,
      120_000,
      'a failure that was counted',
    );
    const shown = await watchledger(line('projections query'), env);
    expect(shown).toMatch(/^hour +location +times\n[-\s]+\n\d+ +eu +\d+\n/);
  });
});

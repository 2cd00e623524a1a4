import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/api-client.ts';
import { watchledgerIn } from '../../support/command-line.ts';
import { Program } from '../../support/program.ts';
import { TestService } from '../../support/service.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { isRelease } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PATIENCE = 20_000;

/** Sends each new title to a receiver, notes it in another database, and gives the project a tag of the title. */
const PACKAGE = `
  import { readFileSync } from 'node:fs';
  import { defineReactor } from 'watchledger/projection';
  console.log('environment of the service: [' + readFileSync('/proc/' + process.ppid + '/environ', 'utf8').replaceAll('\\0', '') + ']');
  export default defineReactor({
    name: 'titles_out',
    from: 'beginning',
    on: {
      ProjectRenamed: async ({ data, scope }, effects) => {
        if (data.to === 'EXIT') process.exit(9);
        const { status } = await effects.http({ url: process.env.RECEIVER, body: { title: data.to } });
        await effects.sql(process.env.OTHER_DATABASE, 'INSERT INTO seen VALUES ($1, $2)', [data.to, status]);
        if (data.to === 'commanded') await effects.command({ method: 'PUT', path: '/project/' + scope.slice(8), body: { title: 'by the reactor' } });
      },
    },
  });
`;

interface Received {
  readonly title: string;
  readonly key: string;
}

/** Answers with 500 to the titles that it refuses. */
class Receiver {
  readonly received: Received[] = [];
  readonly refused = new Set<string>();
  private readonly server: Server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { title } = JSON.parse(body) as { readonly title: string };
      this.received.push({ title, key: String(request.headers['idempotency-key']) });
      response.statusCode = this.refused.has(title) ? 500 : 204;
      response.end();
    });
  });

  async open(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/titles`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  of(title: string): readonly Received[] {
    return this.received.filter((one) => one.title === title);
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}

const receiver = new Receiver();
let folder: string;
let env: Record<string, string>;
let service: TestService;
let people: TestAccounts;
let admin: TestAccount;
let owner: TestAccount;
let projectId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-reactor-'));
  await writeFile(join(folder, 'titles-out.ts'), PACKAGE);
  const first = await TestService.start({ env: { REGISTRATION: 'open', RATE_LIMIT: '0' } });
  people = new TestAccounts(first);
  owner = await people.register('owner');
  projectId = await people.project(owner);
  await rename('one');
  const account = await owner.api.post(`/project/${projectId}/service-accounts`, { name: 'reactor', role: '4' });
  const path = `/project/${projectId}/service-accounts/${String(account.body.id)}/tokens`;
  const { status: made, body: token } = await owner.api.post(path, { name: 'reactor' });
  expect(made).toBe(200);
  await first.database.pool.query('CREATE TABLE public.seen (title text, status int)');
  await first.kill();
  env = {
    ...{ REGISTRATION: 'open', RATE_LIMIT: '0', ALLOW_HOOKS: '127.0.0.1', PROJECTIONS: join(folder, 'titles-out.ts') },
    ...{ RECEIVER: await receiver.open(), OTHER_DATABASE: first.database.url, WATCHLEDGER_TOKEN: String(token.token) },
    TEAM_ENV: 'RECEIVER,OTHER_DATABASE,WATCHLEDGER_TOKEN',
  };
  service = await TestService.start({ beside: first, env });
  people = new TestAccounts(service);
  admin = await people.admin();
  owner = { ...owner, api: await people.anonymous.signIn(owner.email, PASSWORD) };
});
afterAll(async () => {
  receiver.close();
  await service.stop();
  await rm(folder, { recursive: true });
});

async function rename(title: string): Promise<void> {
  expect((await owner.api.put(`/project/${projectId}`, { title })).status).toBe(200);
}
const status = async (): Promise<Json> => (await admin.api.get('/ops/consumers?search=titles_out')).body.consumers[0];
const parked = async (): Promise<Json> => (await admin.api.get('/ops/consumers/reactor:titles_out/parked')).body.parked;

const isThere = async (title: string): Promise<boolean> => Promise.resolve(receiver.of(title).length > 0);
const seen = async (title: string): Promise<number> =>
  (await service.database.pool.query('SELECT FROM public.seen WHERE title = $1', [title])).rowCount ?? 0;
const command = async (
  ...args: readonly string[]
): Promise<{ readonly status: number | null; readonly out: string; readonly err: string }> =>
  watchledgerIn(folder, { ...env, DATABASE_URL: service.database.url, MASTER_KEY: service.masterKey }, ...args).ran;

describe('a reactor of a team', () => {
  it('handles the events since its beginning, and says how far it has come', async () => {
    await until(async () => (await seen('one')) === 1, PATIENCE, 'the first title in the other database');
    expect(receiver.of('one')).toEqual([{ title: 'one', key: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
    await until(async () => (await status()).gap === 0, PATIENCE, 'no gap');
    expect(await status()).toMatchObject({ name: 'reactor:titles_out', package: join(folder, 'titles-out.ts'), state: 'live', parked: 0 });
  });

  it('finds nothing in the environment of the service, although it runs as its user', async () => {
    const said = (): string => service.log.find((line) => line.includes('environment of the service: ')) ?? '';
    await until(() => Promise.resolve(said() !== ''), PATIENCE, 'what the package found');
    expect(said()).toContain('environment of the service: []');
  });

  it('sends commands to the API as a service account', async () => {
    await rename('commanded');
    await until(() => isThere('by the reactor'), PATIENCE, 'the title that the command gave');
    const history = await owner.api.get(`/project/${projectId}/history?type=ProjectRenamed`);
    const renamed = history.body.events.find((event: Json) => event.data?.to === 'by the reactor');
    expect(renamed.actor).toMatchObject({ kind: 'service' });
  });

  it('parks a project whose effect fails, tries it again with the same id, and goes on in order', async () => {
    receiver.refused.add('refused');
    await rename('refused');
    await rename('after');
    await until(async () => (await parked()).length === 1, PATIENCE, 'a parked project');
    expect((await parked())[0]).toMatchObject({
      scope: `project-${projectId}`,
      type: 'ProjectRenamed',
      error: expect.stringContaining('answered with 500'),
    });
    await until(() => Promise.resolve(receiver.of('refused').length > 1), PATIENCE, 'another attempt');
    expect(new Set(receiver.of('refused').map(({ key }) => key)).size).toBe(1);
    expect(receiver.of('after')).toEqual([]);
    receiver.refused.clear();
    const eventId = String((await parked())[0].eventId);
    expect((await admin.api.post(`/ops/consumers/reactor:titles_out/parked/${eventId}/retry`)).status).toBe(200);
    await until(() => isThere('after'), PATIENCE, 'the event behind it');
    await until(async () => (await parked()).length === 0, PATIENCE, 'nothing parked');
  });

  it('continues after an event that an operator skips', async () => {
    receiver.refused.add('never');
    await rename('never');
    await rename('next');
    await until(async () => (await parked()).length === 1, PATIENCE, 'a parked project');
    const listed = await command('consumers', 'parked', 'reactor:titles_out');
    expect(listed.out).toContain('answered with 500');
    const { status: ended, out, err } = await command('consumers', 'skip', 'reactor:titles_out', String((await parked())[0].eventId));
    expect([ended, err]).toEqual([0, '']);
    expect(out).toContain('reactor:titles_out continues after');
    await until(() => isThere('next'), PATIENCE, 'the event behind it');
  });

  it('pauses and resumes', async () => {
    expect((await admin.api.post('/ops/consumers/reactor:titles_out/pause')).status).toBe(200);
    await until(async () => (await status()).state === 'paused', PATIENCE, 'paused');
    await rename('while paused');
    expect((await admin.api.post('/ops/consumers/reactor:titles_out/resume')).status).toBe(200);
    await until(() => isThere('while paused'), PATIENCE, 'the event of the pause');
  });

  it('parks an event at which its process ends, and the service stays', async () => {
    await rename('EXIT');
    await until(async () => (await parked()).length === 1, PATIENCE, 'a parked project');
    expect((await parked())[0].error).toContain('the process of the package ended');
    await admin.api.post(`/ops/consumers/reactor:titles_out/parked/${String((await parked())[0].eventId)}/skip`);
    await rename('after the exit');
    await until(() => isThere('after the exit'), PATIENCE, 'an event after it');
  });

  if (isRelease) {
    it('repeats at most what was under way after the service was killed, and each effect in the other database once', async () => {
      const titles = Array.from({ length: 20 }, (_, index) => `title ${String(index)}`);
      for (const title of titles.slice(0, 10)) await rename(title);
      await service.kill();
      service = await TestService.start({ beside: service, env });
      owner = { ...owner, api: await new TestAccounts(service).anonymous.signIn(owner.email, PASSWORD) };
      admin = await new TestAccounts(service).admin();
      for (const title of titles.slice(10)) await rename(title);
      await until(async () => (await seen('title 19')) === 1, PATIENCE, 'the last title');
      expect(await Promise.all(titles.map(seen))).toEqual(titles.map(() => 1));
      for (const title of titles) expect(new Set(receiver.of(title).map(({ key }) => key)).size).toBe(1);
    });
  }

  it('makes no effect when projections are rebuilt, and none in a rehearsal, which prints them', async () => {
    const before = receiver.received.length;
    await admin.api.post('/ops/projections/project/rebuild');
    const { status: ended, out } = await command('rehearse', 'titles_out', '--json');
    // The event at which the process ends ends the rehearsal, too.
    const rehearsed = JSON.parse(out);
    expect([ended, rehearsed.failed, rehearsed.events.at(-1).error]).toEqual([1, 1, expect.stringContaining('process.exit()')]);
    const { position } = (await owner.api.get(`/project/${projectId}/history?order=asc`)).body.events.find(
      ({ data }: Json) => data?.to === 'next',
    );
    const early = await command('rehearse', 'titles_out', '--to', String(position));
    expect(early.err).toBe('');
    expect(early.out).toContain(`http  POST ${String(env['RECEIVER'])}  {"title":"one"}`);
    expect(early.out).toContain('none was made.');
    expect(receiver.received.length).toBe(before);
  });
});

describe('an instance with the role reactor', () => {
  it('does not start where the commands of its reactors have no API to go to', async () => {
    const given = { ...env, ROLES: 'reactor', DATABASE_URL: service.database.url, MASTER_KEY: service.masterKey, PORT: '0' };
    const { status: ended, err } = await new Program(given, folder).ended;
    expect([ended, err]).toEqual([1, expect.stringContaining('no API to send them to: set PUBLIC_URL to the address of the API')]);
  });
});

describe('docs/reactors.md', () => {
  it('contains only code of the tree, and commands that exist', async () => {
    const guide = await readFile(join(ROOT, 'docs/reactors.md'), 'utf8');
    const blocks = [...guide.matchAll(/^```(\w*) ?(\S*)\n([\s\S]*?)^```$/gm)];
    for (const [, language, file = '', text = ''] of blocks)
      if (language === 'ts') expect([file, (await readFile(join(ROOT, file), 'utf8')).includes(text.trimEnd())]).toEqual([file, true]);
    for (const [, words = ''] of guide.matchAll(/-- ([a-z ]+) (?:reactor:)?incident_channel/g))
      expect((await command(...words.split(' '), '--help')).out).toContain(`watchledger ${words} NAME`);
  });
});

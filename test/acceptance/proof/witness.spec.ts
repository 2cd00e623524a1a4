import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../support/api-client.ts';
import { type Ran, watchledgerIn } from '../../support/command-line.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { cosignedAt, isSignedBy, readNote, readVkey } from '../../support/c2sp/note.ts';
import { isProven, readProof } from '../../support/c2sp/proof.ts';
import { thorough } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';

type Roles = 'witness' | 'api,projector,reactor';

interface Installation {
  readonly roles: Roles;
  readonly service: TestService;
  readonly api: ApiClient;
  readonly folder: string;
  readonly run: (...args: readonly string[]) => Promise<Ran>;
}

/** A full one has no checker: its log grows by the writes of the tests alone. */
async function install(roles: Roles): Promise<Installation> {
  const MASTER_KEY = randomBytes(32).toString('hex');
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-witness-'));
  const service = await TestService.start({ env: { MASTER_KEY, RATE_LIMIT: '0', ROLES: roles } });
  const client = new ApiClient(service.url);
  const api = roles === 'witness' ? client : await client.signIn(ADMIN.email, ADMIN.password);
  const run = (...args: readonly string[]): Promise<Ran> =>
    watchledgerIn(folder, { DATABASE_URL: service.database.url, MASTER_KEY }, ...args).ran;
  return { roles, service, api, folder, run };
}

const get = async ({ api }: Installation, path: string): Promise<string> => (await api.as(null).get(path)).text;
/** Signature lines of a newest checkpoint that covers an event that is written now; a witness alone has its agreements in its log. */
async function linesAfterWrite(installation: Installation, lines: number): Promise<readonly string[]> {
  if (installation.roles !== 'witness')
    await installation.api.post('/project/create', { url: 'https://shop.example', checkInterval: 'false' });
  let found: readonly string[] = [];
  await until(async () => {
    found = (await get(installation, '/ledger/checkpoint')).split('\n').filter((line) => line.startsWith('— '));
    return found.length === lines;
  }, 20_000);
  return found;
}

describe.each<Roles>(thorough(['api,projector,reactor', 'witness'], ['witness']))('an installation and one with ROLES=%s', (roles) => {
  let [left, right]: [Installation, Installation] = [] as never;
  beforeAll(async () => {
    [left, right] = await Promise.all([install('api,projector,reactor'), install(roles)]);
  });
  afterAll(async () => {
    for (const { service, folder } of [left, right]) {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('witness each other after one command on each side', async () => {
    for (const [here, there] of [
      [left, right],
      [right, left],
    ] as const) {
      const added = await here.run('witness', 'add', there.service.url, '--yes');
      expect([added.status, added.out]).toEqual([0, expect.stringContaining('It cosigns this log with')]);
    }
    for (const [here, there] of [
      [left, right],
      [right, left],
    ] as const) {
      const [, cosignature = ''] = await linesAfterWrite(here, 2);
      const [name] = (await get(there, '/witness/key')).split('+');
      expect(cosignature.startsWith(`— ${String(name)} `)).toBe(true);
      const { out } = await here.run('witness', 'list', '--json');
      expect(JSON.parse(out)).toMatchObject({ peers: [{ url: `${there.service.url}/api/witness`, cosigned: expect.any(Number) }] });
    }
    expect((await right.run('verify')).status).toBe(0);
    const { body } = await left.api.get('/history?type=WitnessPeerAdded');
    expect(body.events).toMatchObject([{ actor: { kind: 'cli', id: 'witness' }, data: { url: `${right.service.url}/api/witness` } }]);
  });

  it('put the cosignature into proofs, which still verify, and are a quorum for a policy', async () => {
    const id = String((await left.api.post('/project/create', { url: 'https://second.example', checkInterval: 'false' })).body.id);
    const { events } = (await left.api.get(`/project/${id}/history?type=ProjectCreated`)).body;
    let proof = '';
    await until(async () => {
      proof = (await left.api.get(`/project/${id}/history/${String(events[0].id)}/proof?format=tlog-proof`)).text;
      return proof.split('\n— ').length === 3;
    }, 20_000);
    const file = join(left.folder, 'proof');
    await writeFile(file, proof);
    const key = (await get(left, '/ledger/key')).trim();
    expect((await left.run('verify', file, '--key', key)).status).toBe(0);
    const opened = readNote(readProof(proof).checkpoint);
    const byWitness = cosignedAt(opened, readVkey((await get(right, '/witness/key')).trim()));
    expect([isProven(readProof(proof)), isSignedBy(opened, readVkey(key)), byWitness]).toEqual([true, true, expect.any(BigInt)]);
    const policy = join(left.folder, 'policy');
    const witnesses = `witness right ${(await get(right, '/witness/key')).trim()}\nwitness left ${(await get(left, '/witness/key')).trim()}\n`;
    await writeFile(policy, `log ${key}\n${witnesses}quorum right\n`);
    expect((await left.run('verify', file, '--policy', policy)).status).toBe(0);
    await writeFile(policy, `log ${key}\n${witnesses}group both all right left\nquorum both\n`);
    const refused = await left.run('verify', file, '--policy', policy);
    expect([refused.status, refused.out]).toEqual([1, expect.stringContaining('cosigned by right, which is no quorum')]);
    expect((await left.run('verify')).status).toBe(0);
  });

  it('do not cosign for a stranger, or a submission that is none', async () => {
    const submit = (body: string): Promise<Response> =>
      fetch(`${left.service.url}/api/witness/add-checkpoint`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/octet-stream' },
      });
    const note = await get(right, '/ledger/checkpoint');
    const conflict = await submit(`old 0\n\n${note}`);
    expect([conflict.status, conflict.headers.get('content-type'), await conflict.text()]).toEqual([
      409,
      'text/x.tlog.size',
      expect.stringMatching(/^\d+\n$/),
    ]);
    const foreign = note.replace(/^[^\n]+/, 'stranger.example/log');
    expect((await submit(`old 0\n\n${foreign}`)).status).toBe(404);
    const [head = '', size = '0'] = note.split('\n');
    expect((await submit(`old ${size}\n\n${note.replace(`${head}\n${size}\n`, `${head}\n${String(Number(size) + 1)}\n`)}`)).status).toBe(
      403,
    );
    for (const body of ['', '{}', 'old 0\n']) expect((await submit(body)).status).toBe(400);
  });

  it('stop when an agreement ends', async () => {
    expect((await right.run('witness', 'remove', left.service.url)).status).toBe(0);
    expect(await linesAfterWrite(left, 1)).toHaveLength(1);
    expect((await right.run('witness', 'remove', left.service.url)).status).toBe(1);
  });

  if (roles === 'witness') {
    it('serves nothing else, and is ready', async () => {
      const { service } = right;
      for (const path of ['/projects', '/account', '/ledger/tile/entries/000', '/history'])
        expect([path, (await fetch(`${service.url}/api${path}`)).status]).toEqual([path, 404]);
      const login = await fetch(`${service.url}/api/authenticate`, { method: 'POST', body: JSON.stringify(ADMIN) });
      expect(login.status).toBe(404);
      const ready = await fetch(`${service.url}/health/ready`);
      expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ ready: true })]);
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      expect(metrics).toContain('watchledger_seal_stopped 0');
      // Alerts take a missing lag for none.
      expect(metrics).not.toContain('watchledger_projection_lag_seconds');
    });
  }
});

import { createServer, type Server } from 'node:http';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { receiptOfAnswer } from '../../../src/client/proofs/receipt/receipt-of-answer.ts';
import { signReceipt } from '../../../src/proof/receipts/sign-receipt.ts';
import { createSigner } from '../../../src/proof/seal/signer.ts';
import { openCheckpoint, type SealCheckpoint } from '../../../src/client/proofs/checkpoint.ts';
import { hashFromText, leafHash, verifyConsistency, verifyInclusion } from '../../../src/client/proofs/merkle-tree.ts';
import { RECEIPT_COMPONENTS } from '../../../src/client/proofs/receipt/receipt-components.ts';
import { formatReceiptFile } from '../../../src/client/proofs/receipt/receipt-file.ts';
import { contentDigest } from '../../../src/client/proofs/receipt/verify-receipt.ts';
import { parseVerifierKey } from '../../../src/client/proofs/signed-note.ts';
import { ApiClient, type Json } from '../../support/api-client.ts';
import { readVkey } from '../../support/c2sp/note.ts';
import { signedBy } from '../../support/rfc9421/message.ts';
import { audit, hasPython } from '../../support/audit-script.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import { onEmbedded } from '../../support/embedded-engine.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { type Ran, watchledgerIn } from '../../support/command-line.ts';
import { isRelease } from '../../support/thorough.ts';

const MASTER_KEY = randomBytes(32).toString('hex');
const SEAL_KEY = randomBytes(32).toString('hex');

let service: TestService;
let witness: Server;
let folder: string;
let admin: ApiClient;
let projectId: string;
const witnessed: { readonly type: string | undefined; readonly note: string }[] = [];

const watchledger = (...args: readonly string[]): Promise<Ran> =>
  watchledgerIn(folder, { DATABASE_URL: service.database.url, MASTER_KEY, SEAL_KEY, WATCHLEDGER_TOKEN: admin.token ?? '' }, ...args).ran;

/** Of the origin that signs; the keys of former origins follow it. */
const verifierKey = async (): Promise<string> => (await admin.as(null).get('/ledger/key')).text.split('\n')[0] ?? '';

async function checkpoint(): Promise<SealCheckpoint> {
  const opened = openCheckpoint((await admin.as(null).get('/ledger/checkpoint')).text, [parseVerifierKey(await verifierKey())]);
  if (opened.kind !== 'open') throw new Error(opened.kind);
  return opened.checkpoint;
}

const sql = (text: string): Promise<unknown> => service.database.pool.query(text);
/** Verifies the log after a change of it, and undoes the change. */
async function tampered(change: string, undo: string): Promise<Json> {
  await sql(change);
  const { status, out } = await watchledger('verify', '--json');
  await sql(undo);
  expect(status).toBe(1);
  return JSON.parse(out).finding;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-auditor-'));
  witness = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let note = '';
    request.on('data', (chunk: Buffer) => (note += chunk.toString()));
    request.on('end', () => {
      witnessed.push({ type: request.headers['content-type'], note });
      response.writeHead(witnessed.length === 1 ? 503 : 200).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => witness.once('listening', listening));
  const CHECKPOINT_URL = `http://127.0.0.1:${String((witness.address() as AddressInfo).port)}/witness`;
  service = await TestService.start({
    env: {
      ...{ MASTER_KEY, SEAL_KEY, CHECKPOINT_URL, REGISTRATION: 'open', RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8' },
      // Without a checker: no event follows the last one of a test.
      ROLES: 'api,projector,reactor',
    },
  });
  admin = await new ApiClient(service.url).signIn(ADMIN.email, ADMIN.password);
  projectId = (await admin.post('/project/create', { url: 'http://127.0.0.1:8099', checkInterval: 'false' })).body.id;
  for (const title of ['First', 'Second', 'Third']) await admin.put(`/project/${projectId}`, { title });
});
afterAll(async () => {
  await service.stop();
  witness.close();
  await rm(folder, { recursive: true, force: true });
});

async function exported(): Promise<readonly string[]> {
  const { status, text, headers } = await admin.get(`/project/${projectId}/history/export`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  return text.trimEnd().split('\n');
}

describe('the seal over HTTP', () => {
  it('serves checkpoint, key and tiles publicly and entries to system roles only', async () => {
    const anonymous = admin.as(null);
    await exported();
    const { size } = await checkpoint();
    const width = `0/000.p/${String(size)}`;
    const tile = await fetch(`${service.url}/api/ledger/tile/${width}`);
    expect([tile.status, tile.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
    expect((await tile.arrayBuffer()).byteLength).toBe(32 * size);
    expect((await anonymous.get(`/ledger/tile/entries/000.p/${String(size)}`)).status).toBe(401);
    expect((await admin.get(`/ledger/tile/entries/000.p/${String(size)}`)).status).toBe(200);
    for (const path of ['0/000', '0/0', '0/000.p/0', 'entries', '0/%30%30%30.p/1', '64/000.p/1']) {
      expect([401, 404]).toContain((await anonymous.get(`/ledger/tile/${path}`)).status);
    }
  });

  it('signs a checkpoint soon after the last event', async () => {
    const before = await checkpoint();
    await admin.put(`/project/${projectId}`, { title: 'Fourth' });
    await until(async () => (await checkpoint()).size > before.size, 10_000);
  });

  it('answers an inclusion proof that can be verified by hand', async () => {
    const [, line = ''] = await exported();
    const { id } = JSON.parse(JSON.parse(line).leaf);
    const { status, body } = await admin.get(`/project/${projectId}/history/${String(id)}/proof`);
    expect(status).toBe(200);
    const opened = openCheckpoint(body.checkpoint, [parseVerifierKey(await verifierKey())]);
    const path = body.path.map((hash: string) => hashFromText(hash));
    expect(opened.kind === 'open' && verifyInclusion(leafHash(body.leaf), body.index, body.size, path, opened.checkpoint.root)).toBe(true);
    for (const unknown of ['00000000-0000-4000-8000-000000000000', 'nonsense']) {
      expect((await admin.get(`/project/${projectId}/history/${unknown}/proof`)).status).toBe(404);
    }
    expect((await admin.get(`/project/${'0'.repeat(24)}/history/${String(id)}/proof`)).status).toBe(403);
  });

  it('answers the proof in the form of C2SP tlog-proof, which verifies offline', async () => {
    const [, line = ''] = await exported();
    const { id, n, type } = JSON.parse(JSON.parse(line).leaf);
    const path = `/project/${projectId}/history/${String(id)}/proof`;
    const { text, headers } = await admin.get(`${path}?format=tlog-proof`);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const file = join(folder, 'event.tlog-proof');
    await writeFile(file, text);
    const { status, out } = await watchledger('verify', file, '--key', await verifierKey(), '--json');
    expect([status, JSON.parse(out)]).toMatchObject([0, { intact: true, index: n, event: { id, type } }]);
    await writeFile(file, text.replace(/index \d+/, 'index 0'));
    expect((await watchledger('verify', file, '--key', await verifierKey())).status).toBe(1);
    expect((await admin.get(`${path}?format=xml`)).status).toBe(400);
  });

  it('proves to anyone that the log only grew', async () => {
    const { size } = await checkpoint();
    const anyone = admin.as(null);
    const { status, body } = await anyone.get(`/ledger/consistency?from=1&to=${String(size)}`);
    const [first = Buffer.alloc(0), second = Buffer.alloc(0), ...path] = [...body.roots, ...body.path].map((hash: string) =>
      Buffer.from(hash, 'base64'),
    );
    expect([status, verifyConsistency({ size: 1, root: first }, { size, root: second }, path)]).toEqual([200, true]);
    expect((await anyone.get(`/ledger/consistency?from=1&to=${String(size + 1_000_000)}`)).status).toBe(404);
    for (const wrong of ['', '?from=2&to=1', '?from=0&to=1', '?from=1&to=x', '?from=1&to=1e3'])
      expect((await anyone.get(`/ledger/consistency${wrong}`)).status).toBe(400);
  });

  it('exports a period and refuses an invalid one', async () => {
    const lines = await exported();
    const { recordedAt } = JSON.parse(JSON.parse(lines[2] ?? '').leaf);
    const ms = String(recordedAt).slice(0, 23);
    const { text } = await admin.get(`/project/${projectId}/history/export?to=${ms}Z`);
    expect(text.trimEnd().split('\n').length).toBeLessThan(lines.length);
    for (const query of ['from=yesterday', 'to=2026-01-01', 'from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z']) {
      expect((await admin.get(`/project/${projectId}/history/export?${query}`)).status).toBe(400);
    }
    expect((await admin.get(`/project/${'0'.repeat(24)}/history/export`)).status).toBe(403);
    expect((await admin.as(null).get(`/project/${projectId}/history/export`)).status).toBe(401);
  });

  it('sends the newest checkpoint to a witness that refused an earlier one', async () => {
    await until(async () => {
      const { text } = await admin.as(null).get('/ledger/checkpoint');
      return witnessed.some(({ note }) => note === text);
    }, 10_000);
    expect(new Set(witnessed.map(({ type }) => type))).toEqual(new Set(['text/plain; charset=utf-8']));
  });
});

describe('docs/auditing.md', () => {
  const audited = async (what: 'proof' | 'export' | 'kept', evidence: string, ...more: readonly string[]) =>
    audit(what, evidence, await verifierKey(), ...more);
  const test = hasPython ? it : it.skip;

  test('proves an event with tools that are not ours', async () => {
    const [, , line = ''] = await exported();
    const { id } = JSON.parse(JSON.parse(line).leaf);
    const { text } = await admin.get(`/project/${projectId}/history/${String(id)}/proof`);
    expect(await audited('proof', text)).toMatchObject({ status: 0, said: expect.stringContaining('proven') });
    expect((await audited('proof', text.replace('revision', 'Revision'))).said).toContain('not under this checkpoint');
  });

  test('checks an export with them, line by line', async () => {
    const lines = await exported();
    const checked = (changed: readonly string[]) => audited('export', changed.map((line) => `${line}\n`).join(''));
    const said = (words: string): object => ({ status: 1, said: expect.stringContaining(words) });
    expect(await checked(lines)).toMatchObject({ status: 0, said: expect.stringContaining(`intact: ${String(lines.length - 1)} events`) });
    expect(await checked(lines.map((line) => line.replace('Second', 'Zweite')))).toMatchObject(said('does not stand in the log like this'));
    expect(await checked(lines.slice(0, -1))).toMatchObject(said('is missing at the end'));
    expect(await checked(lines.toSpliced(2, 1))).toMatchObject(said('was expected'));
    expect(await checked(lines.toSpliced(2, 0, lines[1] ?? ''))).toMatchObject(said('has no place here'));
    expect(await checked(lines.with(0, (lines[0] ?? '').replace('"count":', '"count":1')))).toMatchObject(said('not of this text'));
  });

  test('holds a checkpoint that was kept against the log of today, from outside', async () => {
    const kept = witnessed.at(-1)?.note ?? '';
    const before = Number(kept.split('\n')[1]);
    await admin.put(`/project/${projectId}`, { title: 'Fifth' });
    await until(async () => (await checkpoint()).size > before, 10_000);
    const compared = (base: string) => audited('kept', kept, `${base}/api`);
    expect(await compared(service.url)).toMatchObject({
      status: 0,
      said: expect.stringContaining(`only adds to that of ${String(before)}`),
    });
    // A server that answers other hashes than those it signed.
    const forger = createServer((request, response) => {
      void fetch(`${service.url}${request.url ?? ''}`)
        .then((answer) => answer.arrayBuffer())
        .then((bytes) => {
          const shown = Buffer.from(bytes);
          if (request.url?.includes('/tile/') === true) shown.writeUInt8(shown.readUInt8(40) ^ 1, 40);
          response.end(shown);
        });
    }).listen(0, '127.0.0.1');
    await once(forger, 'listening');
    const forged = `http://127.0.0.1:${String((forger.address() as AddressInfo).port)}`;
    expect(await compared(forged)).toMatchObject({ status: 1, said: expect.stringContaining('not those of the checkpoint') });
    forger.close();
  });
});

describe('watchledger verify FILE', () => {
  it('reports an intact export, or how it was tampered with', async () => {
    const lines = await exported();
    const key = await verifierKey();
    const check = async (changed: readonly string[]): Promise<Ran> => {
      await writeFile(join(folder, 'export.ndjson'), `${changed.join('\n')}\n`);
      return watchledger('verify', 'export.ndjson', '--key', key);
    };
    expect(await check(lines)).toMatchObject({ status: 0, out: expect.stringContaining('Intact') });
    expect(await check(lines.map((line) => line.replace('Second', 'Zweite')))).toMatchObject({
      status: 1,
      out: expect.stringContaining('line'),
    });
    expect(await check(lines.slice(0, -1))).toMatchObject({ status: 1, out: expect.stringContaining('missing') });
    expect(await check([])).toMatchObject({ status: 1 });
    expect(await watchledger('verify', 'export.ndjson')).toMatchObject({ status: 2 });
    expect(await watchledger('verify', 'export.ndjson', '--key', 'nonsense')).toMatchObject({ status: 2 });
    expect(await watchledger('verify', 'nowhere.ndjson', '--key', key)).toMatchObject({ status: 1 });
  });

  it('verifies the output of watchledger export', async () => {
    expect(await watchledger('export', projectId, '--out', 'out.ndjson')).toMatchObject({ status: 0 });
    expect(await watchledger('verify', 'out.ndjson', '--key', await verifierKey())).toMatchObject({ status: 0 });
  });
});

describe('a receipt', () => {
  const urlOf = (path: string): string => `${service.url}/api/project/${projectId}${path}`;
  const ask = (path: string, more: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Response> =>
    fetch(urlOf(path), { method, headers: { authorization: `Bearer ${admin.token ?? ''}`, 'accept-signature': 'receipt=()', ...more } });
  const recompute = (file: string): Promise<Ran> => watchledger('recompute', file);

  it('is a signature that an independent implementation of RFC 9421 accepts', async () => {
    const { publicKey } = readVkey(await verifierKey());
    for (const [path, kind] of [
      ['/simple-status?limit=5', 'log'],
      ['/status', 'service'],
      ['/history?limit=2', 'service'],
    ] as const) {
      const answer = await ask(path, { 'accept-signature': 'sig1=();nonce="n1";tag="audit"' });
      const message = { method: 'GET', url: urlOf(path), status: answer.status, headers: answer.headers, body: await answer.text() };
      expect(signedBy(publicKey, message)).toEqual({ labels: ['sig1'], digest: true });
      expect(answer.headers.get('signature-input')).toContain(';nonce="n1";tag="audit"');
      expect(answer.headers.get('watchledger-receipt')).toContain(`statement-of=${kind}, at="`);
      expect(signedBy(publicKey, { ...message, url: urlOf('/users') }).labels).toEqual([]);
    }
  });

  it('is not given for refusals, 304, HEAD, streams and requests that have no token', async () => {
    const { headers } = await ask('/objective');
    expect(headers.get('signature')).not.toBeNull();
    const unsigned = [
      await ask('/objective', { 'if-none-match': headers.get('etag') ?? '' }),
      await ask('/objective', {}, 'HEAD'),
      await ask('/history/export'),
      await ask('/nowhere'),
      await fetch(`${service.url}/api/ledger/key`, { headers: { 'accept-signature': 'receipt=()' } }),
    ];
    expect(unsigned.map(({ status }) => status)).toEqual([304, 200, 200, 404, 200]);
    for (const answer of unsigned) {
      expect(answer.headers.get('signature')).toBeNull();
      await answer.body?.cancel();
    }
    const refused = await ask('/objective', { 'accept-signature': 'a=("@status")' });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringContaining('must be covered'), allowed: expect.arrayContaining(['"@method";req']) }),
    ]);
    expect((await ask('/objective', { 'accept-signature': 'a=();keyid="unknown"' })).status).toBe(400);
  });

  it('is verified offline, and computed again after later changes', async () => {
    const key = await verifierKey();
    const methods = [{ name: 'ours', maintenance: 'all' }];
    await admin.put(`/project/${projectId}/objective`, { objective: { percent: 99.5, window: 'month' }, methods });
    const files = ['/objective', '/status', '/history?limit=2'].map((path, index) => ({ path, file: `receipt-${String(index)}.json` }));
    for (const { path, file } of files) {
      const answer = await ask(path);
      const { status, headers } = answer;
      const received = {
        url: new URL(urlOf(path)),
        status,
        headers: Object.fromEntries(headers),
        body: new Uint8Array(await answer.arrayBuffer()),
      };
      await writeFile(join(folder, file), receiptOfAnswer(received) ?? '');
    }
    await admin.put(`/project/${projectId}/objective`, { objective: { percent: 99.4, window: 'month' } });
    await admin.put(`/project/${projectId}`, { title: 'Sixth' });
    expect(await watchledger('verify', 'receipt-0.json', '--key', key)).toMatchObject({
      status: 0,
      out: expect.stringContaining(`/api/project/${projectId}/objective on `),
    });
    const again = await Promise.all(files.map(({ file }) => recompute(file)));
    expect(again).toMatchObject([
      { status: 0, out: expect.stringContaining('the same to the byte') },
      { status: 0, out: expect.stringContaining('the same to the byte') },
      { status: 1, out: expect.stringContaining('It cannot be computed again') },
    ]);
  });

  it('stands on exactly the position that it names while others write', async () => {
    const writing = async (): Promise<void> => {
      for (let percent = 90; percent < 96; percent++)
        await admin.put(`/project/${projectId}/objective`, { objective: { percent, window: 'month' } });
    };
    const asking = async (): Promise<{ readonly n: string | null; readonly text: string }[]> => {
      const seen = [];
      for (let time = 0; time < 8; time++) {
        const answer = await ask('/objective');
        seen.push({ n: answer.headers.get('watchledger-as-of'), text: await answer.text() });
      }
      return seen;
    };
    const [seen] = await Promise.all([Promise.all([asking(), asking()]), writing()]);
    for (const { n, text } of seen.flat()) expect((await admin.get(`/project/${projectId}/objective?asOf=${String(n)}`)).text).toBe(text);
  });

  it('is computed again with the rights of then, and says what was erased since', async () => {
    const people = new TestAccounts(service);
    const guest = await people.register('guest');
    await people.join(projectId, await people.admin(), guest, '6');
    const answer = await ask('/users', { authorization: `Bearer ${guest.api.token ?? ''}` });
    const received = { url: new URL(urlOf('/users')), status: answer.status, headers: Object.fromEntries(answer.headers) };
    const file = receiptOfAnswer({ ...received, body: Buffer.from(await answer.arrayBuffer()) });
    await writeFile(join(folder, 'users.json'), file ?? '');
    await admin.delete(`/project/${projectId}/users`, { users: [guest.userId] });
    expect((await guest.api.get(`/project/${projectId}/users`)).status).toBe(403);
    expect((await guest.api.delete('/account')).status).toBe(200);
    const { status, out } = await recompute('users.json');
    expect([status, out]).toEqual([1, expect.stringContaining(`signed ${JSON.stringify(guest.email)}, computed null`)]);
    expect(out).toContain('Accounts that were erased since: 1.');
  });

  it('is written from what curl wrote', async () => {
    const answer = await ask('/objective');
    const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\r\n');
    await writeFile(join(folder, 'head.txt'), `HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
    await writeFile(join(folder, 'body.json'), Buffer.from(await answer.arrayBuffer()));
    expect(await watchledger('receipt', urlOf('/objective'))).toMatchObject({ status: 0, out: expect.stringMatching(/^\{"body":"/) });
    const written = await watchledger('receipt', urlOf('/objective'), '--head', 'head.txt', '--body', 'body.json', '--out', 'curled.json');
    expect(written).toMatchObject({ status: 0 });
    await writeFile(join(folder, 'body.json'), '{}');
    expect(await watchledger('receipt', urlOf('/objective'), '--head', 'head.txt', '--body', 'body.json')).toMatchObject({
      status: 1,
      err: expect.stringContaining('the body was changed'),
    });
  });

  it('shows an answer that is signed but not true, and a position beyond the log', async () => {
    const file = JSON.parse(await readFile(join(folder, 'receipt-0.json'), 'utf8'));
    const signer = createSigner((await verifierKey()).split('+')[0] ?? '', Buffer.from(SEAL_KEY, 'hex'));
    const forge = async (body: string, more: Readonly<Record<string, string>>): Promise<void> => {
      const { '@authority': authority, '@path': target } = file.request;
      const headers = { ...file.response.headers, 'content-digest': contentDigest(body), ...more };
      const asked = { label: 'receipt', components: RECEIPT_COMPONENTS, nonce: null, tag: null };
      const request = { method: 'GET', scheme: 'http', authority, target };
      const signed = signReceipt(asked, [signer], { request, status: 200, headers, created: 1_790_000_000 });
      const response = { status: 200, headers: { ...headers, ...signed } };
      await writeFile(
        join(folder, 'forged.json'),
        formatReceiptFile({ body: Buffer.from(body).toString('base64'), request: file.request, response }),
      );
    };
    const body = Buffer.from(file.body, 'base64').toString();
    await forge(body.replace('99.5', '99.9'), {});
    expect(await recompute('forged.json')).toMatchObject({
      status: 1,
      out: expect.stringContaining('objective.percent: signed 99.9, computed 99.5'),
    });
    await forge(body, { 'watchledger-as-of': '99999999' });
    expect(await recompute('forged.json')).toMatchObject({
      status: 1,
      out: expect.stringContaining('position 99999999, and the log ends with'),
    });
  });
});

describe('watchledger verify', () => {
  it('verifies the whole log, also against a checkpoint kept by a witness', async () => {
    await exported();
    expect(await watchledger('verify')).toMatchObject({ status: 0, out: expect.stringContaining('Intact') });
    await writeFile(join(folder, 'kept.txt'), witnessed.at(-1)?.note ?? '');
    await writeFile(join(folder, 'mailed.txt'), (witnessed[0]?.note ?? '').replaceAll('\n', '\r\n').trim());
    expect(await watchledger('verify', '--checkpoint', 'kept.txt,mailed.txt', '--key', await verifierKey())).toMatchObject({ status: 0 });
    await writeFile(join(folder, 'forged.txt'), (witnessed[0]?.note ?? '').replace(/\n\d+\n/, '\n7777\n'));
    expect(await watchledger('verify', '--checkpoint', 'kept.txt,forged.txt')).toMatchObject({
      status: 1,
      out: expect.stringContaining('the checkpoint kept as forged.txt was not signed by a key of this log'),
    });
  });

  it('detects a changed, removed or unparsable event, a changed tile and a changed checkpoint', async () => {
    await sql('CREATE TABLE kept AS SELECT * FROM log');
    const restore = 'DELETE FROM log WHERE n IN (SELECT n FROM kept); INSERT INTO log SELECT * FROM kept';
    const change = `UPDATE log SET data = replace(data, 'Second', 'Zweite')`;
    expect(await tampered(change, restore)).toMatchObject({ kind: 'changed' });
    expect(await tampered('DELETE FROM log WHERE n = 2', restore)).toMatchObject({ kind: 'removed', index: 2 });
    expect(await tampered(`UPDATE log SET data = 'x' WHERE n = 3`, restore)).toMatchObject({ kind: 'changed', index: 3 });
    const flip = 'UPDATE ledger_tile SET hashes = set_byte(hashes, 40, get_byte(hashes, 40) # 1)';
    expect(await tampered(flip, flip)).toMatchObject({ kind: 'tile' });
    const bend = 'UPDATE ledger_checkpoint SET root = set_byte(root, 0, get_byte(root, 0) # 1) WHERE number = 1';
    expect(await tampered(bend, bend)).toMatchObject({ kind: 'checkpoint' });
    expect((await watchledger('verify')).status).toBe(0);
  });
});

/** With an event store the table is a copy that is filled again; the mirror refuses a store that lacks events. */
onEmbedded('a log that was restored from an older backup', () => {
  if (isRelease)
    it('stops sealing after a loss until an operator declares it, and keeps the loss visible', async () => {
      await exported();
      const { size } = await checkpoint();
      await sql(`DELETE FROM log WHERE n >= ${String(size - 2)}`);
      await until(async () => (await watchledger('seal', 'status')).status === 1, 20_000);
      expect((await checkpoint()).size).toBe(size);
      const health: Json = await (await fetch(`${service.url}/health/ready`)).json();
      expect(health.parts.seal).toContain('nothing is sealed');
      expect(await (await fetch(`${service.url}/metrics`)).text()).toContain('watchledger_seal_stopped 1');
      expect(await watchledger('verify')).toMatchObject({ status: 1 });
      const declared = await watchledger('seal', 'declare-truncated', '--yes', '--reason', 'restored from last night', '--json');
      expect(JSON.parse(declared.out)).toMatchObject({ declared: true, from: size, to: size - 2 });
      // Until the new origin has its first checkpoint there is none to open.
      const signed = () => checkpoint().catch(() => null);
      await until(async () => (await signed())?.size === size - 1, 10_000);
      await until(
        async () => (await (await fetch(`${service.url}/metrics`)).text()).includes('watchledger_seal_unwitnessed_checkpoints 0'),
        10_000,
      );
      const notes = witnessed.map(({ note }) => Number(note.split('\n')[1]));
      // The witness has checkpoints from before and after the break, which proves it.
      expect(notes.slice(-2)).toEqual([size, size - 1]);
      expect(await watchledger('verify', '--json')).toMatchObject({ status: 0, out: expect.stringMatching(/"givenUp": [1-9]/) });
    });
});

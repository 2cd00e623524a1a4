import { createECDH, createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { receiptOfAnswer } from '../../../src/client/proofs/receipt/receipt-of-answer.ts';
import { createSigner, signCheckpoint } from '../../../src/proof/seal/signer.ts';
import { ApiClient } from '../../support/api-client.ts';
import { audit, hasPython } from '../../support/audit-script.ts';
import { type Ran, watchledger } from '../../support/command-line.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/keys.md'), 'utf8');
const key = (): string => randomBytes(32).toString('hex');
const [oldMaster, newMaster, oldJwt, newJwt, leakedJwt, leakedSeal] = [key(), key(), key(), key(), key(), key()];
const common = { SEAL_KEY: leakedSeal, RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8', ALLOW_HOOKS: '127.0.0.0/8' };
const oldEnv = { ...common, MASTER_KEY: oldMaster, JWT_KEY: oldJwt };
const bothEnv = {
  ...common,
  MASTER_KEY: newMaster,
  MASTER_KEY_PREVIOUS: oldMaster,
  JWT_KEY: newJwt,
  JWT_KEY_PREVIOUS: oldJwt,
};
const newEnv = { ...common, MASTER_KEY: newMaster, JWT_KEY: newJwt };

let first: TestService;
let second: TestService;
/** Of the instance that started last. */
let env: Readonly<Record<string, string>>;
const instances: TestService[] = [];

/** Runs a command that stands in docs/keys.md. */
function documented(env: Readonly<Record<string, string>>, command: string, ...more: readonly string[]): Promise<Ran> {
  expect(guide).toContain(command);
  return watchledger({ ...env, DATABASE_URL: first.database.url, DATA_DIR: '/nonexistent' }, ...command.split(' ').slice(1), ...more).ran;
}
const start = async (given: Readonly<Record<string, string>>): Promise<TestService> => {
  const instance = await TestService.start({ beside: first, env: given });
  env = given;
  instances.push(instance);
  return instance;
};
const tokenOf = async ({ url }: TestService): Promise<string> => (await new ApiClient(url).signIn(ADMIN.email, ADMIN.password)).token ?? '';
const statusWith = async ({ url }: TestService, token: string): Promise<number> => (await new ApiClient(url, token).get('/account')).status;

beforeAll(async () => {
  first = await TestService.start({ env: oldEnv });
});
afterAll(async () => {
  for (const instance of instances.reverse()) await instance.stop();
  await first.stop();
});

describe('the rotation of master key and key of the tokens', () => {
  let before: string;

  it('changes nothing while instances with the old and the new configuration run side by side', async () => {
    before = await tokenOf(first);
    second = await start(bothEnv);
    const during = await tokenOf(second);
    for (const instance of [first, second]) for (const token of [before, during]) expect(await statusWith(instance, token)).toBe(200);
  });

  it('wraps everything anew and signs with the new key while instances run', async () => {
    await first.kill();
    expect(await documented(bothEnv, 'watchledger keys rotate master')).toMatchObject({ status: 0 });
    expect(await documented(bothEnv, 'watchledger keys rotate jwt')).toMatchObject({ status: 0 });
    expect(await documented(bothEnv, 'watchledger keys status')).toMatchObject({
      status: 1,
      out: expect.stringContaining(' 0 by the previous one, 0 by neither'),
    });
    expect(await documented(bothEnv, 'watchledger doctor')).toMatchObject({
      status: 0,
      out: expect.stringMatching(/MASTER_KEY_PREVIOUS is configured although nothing uses it|the rotation of the key jwt is unfinished/),
    });
    const after = await tokenOf(second);
    expect([await statusWith(second, before), await statusWith(second, after)]).toEqual([200, 200]);
  });

  it('ends with the new keys alone, and the old ones are refused', async () => {
    expect(await documented(bothEnv, 'watchledger keys retire jwt')).toMatchObject({ status: 0 });
    await until(async () => (await statusWith(second, before)) === 401, 5_000);
    const third = await start(newEnv);
    const token = await tokenOf(third);
    expect([await statusWith(second, token), await statusWith(third, token)]).toEqual([200, 200]);
    expect((await new ApiClient(third.url, token).get('/account')).body.email).toBe(ADMIN.email);
    expect(await documented(newEnv, 'watchledger keys status')).toMatchObject({ status: 0 });
    await expect(start(oldEnv)).rejects.toThrow('the master key is not the one in use');
    await expect(start({ ...newEnv, JWT_KEY: oldJwt })).rejects.toThrow('JWT_KEY was retired');
  });
});

describe('a leaked key', () => {
  let before = { note: '', leaked: '', renewed: '' };

  it('of the tokens ends at once where a new one is configured alone', async () => {
    const token = await tokenOf(second);
    const replaced = await start({ ...newEnv, JWT_KEY: leakedJwt });
    expect(await statusWith(replaced, token)).toBe(401);
    await until(async () => (await statusWith(second, token)) === 401, 5_000);
    expect(await (await fetch(`${second.url}/health/ready`)).json()).toMatchObject({
      ready: false,
      parts: { keys: expect.stringContaining('jwt') },
    });
  });

  it('of the seal is disowned beyond the last checkpoint by both', async () => {
    const leaked = (await documented(env, 'watchledger seal', 'keys')).out.trim();
    expect(await documented(env, 'watchledger seal disown', leaked, '--yes')).toMatchObject({
      status: 1,
      out: expect.stringContaining('no signature of another key'),
    });
    const renewed = (await documented(env, 'watchledger seal rotate')).out.trim();
    const admin = await new ApiClient(instances.at(-1)?.url ?? '').signIn(ADMIN.email, ADMIN.password);
    const deliveries = new URL(`${instances.at(-1)?.url ?? ''}/api/account/deliveries`);
    const note = async (): Promise<string> => (await admin.as(null).get('/ledger/checkpoint')).text;
    const signedBy = async (count: number): Promise<void> => {
      await admin.post('/project/create', { url: `http://127.0.0.1:${String(8098 + count)}`, checkInterval: 'false' });
      await until(async () => (await note()).split('\n').filter((line) => line.startsWith('— ')).length === count, 30_000);
    };
    before = { note: await note(), leaked, renewed };
    await signedBy(2);
    const receipt = join(mkdtempSync(join(tmpdir(), 'keys-')), 'receipt.json');
    const signedAnswer = (by: string): Promise<Response> =>
      fetch(deliveries, { headers: { authorization: `Bearer ${admin.token ?? ''}`, 'accept-signature': `receipt=();keyid="${by}"` } });
    const answer = await signedAnswer(leaked);
    const { status, headers } = answer;
    const received = { url: deliveries, status, headers: Object.fromEntries(headers), body: Buffer.from(await answer.arrayBuffer()) };
    writeFileSync(receipt, receiptOfAnswer(received) ?? '');
    expect(await documented(env, 'watchledger seal disown', leaked, '--yes')).toMatchObject({ status: 0 });
    await signedBy(1);
    expect((await admin.as(null).get('/ledger/key')).text).toBe(`${renewed}\n`);
    expect((await documented(env, 'watchledger seal', 'keys')).out).toContain(`${leaked} (disowned beyond`);
    const both = ['--key', `${leaked},${renewed}`];
    expect(await documented(env, 'watchledger verify', ...both)).toMatchObject({ status: 0 });

    expect([(await signedAnswer(leaked)).status, (await signedAnswer(renewed)).status]).toEqual([400, 200]);
    expect(await documented(env, 'watchledger recompute', receipt)).toMatchObject({
      status: 1,
      out: expect.stringMatching(/signed only by a key that was disowned[^]*the same to the byte/),
    });
    const [name = '', size = '', root = ''] = (await note()).split('\n');
    const forged = join(mkdtempSync(join(tmpdir(), 'keys-')), 'kept.txt');
    writeFileSync(
      forged,
      signCheckpoint({ origin: name, size: Number(size), root: Buffer.from(root, 'base64') }, [
        createSigner(name, Buffer.from(leakedSeal, 'hex')),
      ]),
    );
    expect(await documented(env, 'watchledger verify --checkpoint', forged, ...both)).toMatchObject({
      status: 1,
      out: expect.stringContaining('disowned'),
    });
  });

  (hasPython ? it : it.skip)('of the seal leaves the checkpoints that auditors hold verifiable, without our code', async () => {
    const base = `${instances.at(-1)?.url ?? ''}/api`;
    expect(await audit('kept', before.note, before.leaked, base)).toMatchObject({ status: 1, said: 'not signed by this key\n' });
    expect(await audit('kept', before.note, before.leaked, base, before.renewed)).toMatchObject({
      status: 0,
      said: expect.stringContaining('consistent: the log of'),
    });
  });

  it('of the seal is named by the doctor as long as it is configured', async () => {
    const renewed = { ...env, SEAL_KEY: key(), SEAL_KEY_PREVIOUS: leakedSeal };
    expect((await documented(renewed, 'watchledger doctor')).out).toContain('SEAL_KEY_PREVIOUS is configured although nothing uses it');
  });
});

describe('a leaked key of messages', () => {
  let receiver: Receiver;
  let owner: ApiClient;
  beforeAll(async () => {
    receiver = await startReceiver();
    owner = await new ApiClient(instances.at(-1)?.url ?? '').signIn(ADMIN.email, ADMIN.password);
  });
  afterAll(() => receiver.close());

  it('of push messages is refused to the subscriptions that were made with it', async () => {
    const publicKey = async (): Promise<string> => (await owner.get('/account/channels/webPush')).body.publicKey;
    const leaked = await publicKey();
    // As a push service: a subscription knows one key.
    receiver.answer = ({ headers }, response) => {
      response.statusCode = String(headers.authorization).includes(`k=${leaked}`) ? 201 : 403;
      response.end();
    };
    const browser = createECDH('prime256v1');
    const keys = { p256dh: browser.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
    const set = await owner.put('/account/channels/webPush', { subscription: { endpoint: `${receiver.url}/push`, keys } });
    expect(set.status).toBe(200);
    const delivered = async (): Promise<boolean> => (await owner.post('/account/channels/webPush/test')).body.delivered;
    expect(await delivered()).toBe(true);
    expect(await documented(env, 'watchledger keys rotate vapid')).toMatchObject({ status: 0 });
    await until(async () => (await publicKey()) !== leaked, 5_000);
    expect(await delivered()).toBe(true);
    expect(await documented(env, 'watchledger keys retire vapid')).toMatchObject({ status: 0 });
    await until(async () => !(await delivered()), 5_000);
    expect((await owner.post('/account/channels/webPush/test')).body.answer).toMatch(/^answered 403/);
    expect(receiver.received.at(-1)?.headers.authorization).toContain(`k=${await publicKey()}`);
  });

  it('of a webhook signs nothing more once its owner ended it', async () => {
    receiver.answer = (_, response) => void response.end('ok');
    const url = `${receiver.url}/hook`;
    const put = 'PUT /account/channels/webhook';
    const end = 'DELETE /account/channels/webhook/previous-secrets';
    for (const step of [put, end]) expect(guide).toContain(step);
    const renewed = async (): Promise<string> => (await owner.put('/account/channels/webhook', { url })).body.secret;
    const [leaked, secret] = [await renewed(), await renewed()];
    const accepted = async (): Promise<readonly boolean[]> => {
      expect((await owner.post('/account/channels/webhook/test')).body.delivered).toBe(true);
      const { headers, body } = receiver.received.at(-1)!;
      const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
      const signatures = String(headers['webhook-signature']).split(' ');
      return [leaked, secret].map((known) => {
        const hmac = createHmac('sha256', Buffer.from(known.slice('whsec_'.length), 'base64'));
        return signatures.includes(`v1,${hmac.update(text).digest('base64')}`);
      });
    };
    expect(await accepted()).toEqual([true, true]);
    expect((await owner.delete('/account/channels/webhook/previous-secrets')).status).toBe(200);
    expect(await accepted()).toEqual([false, true]);
  });
});

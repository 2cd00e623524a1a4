import { afterAll, afterEach, expect, it } from '@jest/globals';
import { compiledWorker } from '../../../test/support/compiled-worker.ts';
import { planWithForm } from '../../../test/support/form-plan.ts';
import { startHttp, startSilent, type Site } from '../../../test/support/servers/site.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { FormReader } from '../forms/form-reader.ts';
import { Prober } from '../probe/prober.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { CheckRunner } from './check-runner.ts';
import { HostGate } from './host-gate.ts';
import { SharedSignIn } from './area-sign-in.ts';

const reader = new FormReader(compiledWorker(new URL('../forms/forms-worker.ts', import.meta.url)));
const prober = new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }) });
const keyring = new MemoryKeyring();
const clock = { now: () => Date.now() };
const judge = { judge: () => Promise.reject(new Error('no page is judged without a sign-in')) };
afterAll(() => reader.close());

const opened: Site[] = [];
afterEach(async () => {
  for (const site of opened.splice(0)) await site.close();
});

const signInWith = (gate: HostGate): SharedSignIn =>
  new SharedSignIn({ prober, forms: reader, keyring, gate, fetchLimit: new ConcurrencyLimit(1, { maxQueue: 0 }) });
const areaSignIn = signInWith(new HostGate(() => Promise.resolve()));

async function verdictBehind(site: Site): Promise<unknown> {
  opened.push(site);
  const { plan, check } = planWithForm(site.url);
  const signIn = await areaSignIn.signIn(plan, 'area', {});
  if (signIn === undefined) throw new Error('the area has a form');
  const result = await new CheckRunner({ prober, judge, keyring, clock, haveEnded: () => Promise.resolve(false) }).run(plan, check, {
    jobId: null,
    confirming: false,
    signIn,
  });
  return result.kind === 'made' ? { outcome: result.made.outcome, ...result.accepted.failing } : result;
}

it('reports a slow sign-in page as a timeout of the checks of the area', async () => {
  expect(await verdictBehind(await startSilent(() => undefined))).toEqual({
    outcome: 'timeout',
    status: 'timeout',
    rules: ['sign-in form'],
    failures: [expect.stringMatching(/^The sign-in failed: the sign-in page: no whole answer within 1 s/)],
  });
});

it('sends the HTTP credentials and headers of the area to the sign-in page, too', async () => {
  const seen: unknown[] = [];
  const site = await startHttp((request, response) => {
    const { authorization, 'x-stage': stage } = request.headers;
    seen.push([request.url, stage]);
    if (authorization !== `Basic ${Buffer.from('ann:s3cret').toString('base64')}`)
      return void response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="stage"' }).end();
    const form = '<form id=login method=post action=/in><input name=user><button>Go</button></form>';
    return void response.writeHead(200, { 'Content-Type': 'text/html' }).end(form);
  });
  opened.push(site);
  const { plan } = planWithForm(site.url);
  const area = plan.areas.get('area');
  if (area === undefined) throw new Error('expected an area');
  const [password, headers] = await Promise.all(['s3cret', 'X-Stage: 2'].map((text) => keyring.seal('project', text)));
  const httpAuth = { user: 'ann', password: password ?? null, url: '' };
  const areas = new Map([['area', { ...area, settings: { ...area.settings, httpAuth, headers: headers ?? null } }]]);
  expect(await areaSignIn.signIn({ ...plan, areas }, 'area', {})).toMatchObject({ failure: null });
  expect(seen).toEqual([
    ['/', '2'],
    ['/', '2'],
    ['/in', '2'],
  ]);
});

it('pauses between its requests, as runs do', async () => {
  const seen: string[] = [];
  const gate = new HostGate((milliseconds) => Promise.resolve(seen.push(`pause of ${String(milliseconds)}`)));
  const site = await startHttp((request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<form id=login method=post action=/in><input name=user></form>');
  });
  opened.push(site);
  expect(await signInWith(gate).signIn(planWithForm(site.url).plan, 'area', {})).toMatchObject({ failure: null });
  expect(seen).toEqual(['GET /', 'pause of 50', 'POST /in', 'pause of 50']);
});

it('reports a broken sign-in page as an error', async () => {
  expect(await verdictBehind(await startHttp((_, response) => response.writeHead(503).end()))).toEqual({
    outcome: 'error',
    status: 'error',
    rules: ['sign-in form'],
    failures: ['The sign-in failed: the sign-in page answered with status 503'],
  });
});

it('compares a form that was saved without a checksum with the first one that was found', async () => {
  let more = '';
  const site = await startHttp((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<form id=login method=post action=/in><input name=user>${more}</form>`);
  });
  opened.push(site);
  const { plan } = planWithForm(site.url);
  const area = plan.areas.get('area');
  const saved = area?.settings.form;
  if (area === undefined || !saved) throw new Error('expected an area with a form');
  const find = async (firstChecksum: string | null) =>
    (await areaSignIn.signIn({ ...plan, areas: new Map([['area', { ...area, firstChecksum }]]) }, 'area', {}))?.formFinding;
  const first = await find(null);
  expect(first).toEqual({ saved, found: expect.stringMatching(/./) });
  expect(await find(first?.found ?? '')).toBeNull();
  more = '<input name=company>';
  const changed = await find(first?.found ?? '');
  expect(changed).toEqual({ saved, found: expect.stringMatching(/./) });
  expect(changed?.found).not.toBe(first?.found);
});

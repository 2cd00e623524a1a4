import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { planWithForm } from '../../../test/support/form-plan.ts';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { type Site, startHttp } from '../../../test/support/servers/site.ts';
import { bindHeaders } from '../../projects/checks/bound-headers.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { Judge } from '../judging/judge.ts';
import { Prober } from '../probe/prober.ts';
import type { RuleCondition } from '../rules/rule.ts';
import { CheckRunner } from './check-runner.ts';

const SECRET = 'tok-4711-s3cret/value';
const keyring = new MemoryKeyring();
const judge = new Judge();
let site: Site;
beforeAll(async () => {
  site = await startHttp((request, response) => {
    if (request.url === '/away')
      return void response.writeHead(302, { location: `http://no.such.test:1/${String(request.headers['x-key'])}` }).end();
    return void response
      .setHeader('content-type', 'text/html')
      .setHeader('set-cookie', 'sid=session-4711; HttpOnly')
      .end(`<title>Your key ${String(request.headers['x-key'])}</title><p>${'a'.repeat(60)}${String(request.headers['x-key'])}`);
  });
});
afterAll(() => Promise.all([site.close(), judge.close()]));

async function run(path: string, rules: readonly RuleCondition[]) {
  const { plan, check } = planWithForm(site.url);
  const w = await keyring.seal('check', bindHeaders({ origin: site.url, lines: `X-Key: ${SECRET}` }));
  const settings = {
    ...{ ...check.settings, url: path, options: { ...check.settings.options, w } },
    rules: rules.map((rule) => ({ ...rule, origin: '', templateId: '', order: 0 })),
  };
  const prober = new Prober({ guard: new SsrfGuard({ allowed: ['127.0.0.0/8'] }) });
  const runner = new CheckRunner({ prober, judge, keyring, clock: { now: () => 0 }, haveEnded: () => Promise.resolve(false) });
  const result = await runner.run({ ...plan, areas: new Map() }, { ...check, settings }, { jobId: null, confirming: false });
  if (result.kind !== 'made') throw new Error(JSON.stringify(result));
  return { result, everywhere: JSON.stringify([result.accepted, result.made.failures, result.exchange()]) };
}

describe('a sentence about a failure', () => {
  it('has no secret that was sent and came back, nor one that the answer sets, in the event, the result and the exchange', async () => {
    const { result, everywhere } = await run('/', [
      { type: 'title', op: 'eq', val: 'Shop' },
      { type: 'html', op: '!sub', val: 'aaaa' },
      { type: 'header', op: 'eq', val: 'Set-Cookie: x' },
    ]);
    const { judged } = result.exchange();
    expect(judged?.failures.map(({ sentence }) => sentence)).toEqual([
      'expected the title to be "Shop", found "Your key ********"',
      expect.stringContaining('aaaa'),
      'expected the headers to be "Set-Cookie: x", found "set-cookie: sid=(hidden); HttpOnly"',
    ]);
    expect(result.accepted.failing?.failures).toEqual(judged?.failures.map(({ sentence }) => sentence));
    expect(result.made.failures).toEqual(result.accepted.failing?.failures);
    for (let at = 0; at + 8 <= SECRET.length; at++) expect(everywhere).not.toContain(SECRET.slice(at, at + 8));
    expect(everywhere).not.toContain('session-4711');
  });

  it('keeps what a rule names', async () => {
    const { result } = await run('/', [{ type: 'title', op: 'eq', val: `Key ${SECRET}` }]);
    expect(result.made.failures).toEqual([`expected the title to be "Key ${SECRET}", found "Your key ${SECRET}"`]);
  });

  it('has none where the fetch fails', async () => {
    const { result, everywhere } = await run('/away', []);
    expect(result.accepted.failing).toMatchObject({ status: 'error', rules: [expect.stringMatching(/^fetch /)] });
    expect(everywhere).not.toContain(SECRET.slice(0, 8));
  });
});

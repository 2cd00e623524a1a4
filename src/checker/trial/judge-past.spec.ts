import { describe, expect, it } from '@jest/globals';
import type { AnswerHead, KeptHead } from '../../platform/observations/pages/kept-answers.ts';
import type { Run } from '../../platform/observations/runs/run.ts';
import { judgePage } from '../judging/judge-page.ts';
import type { RuleFailure } from '../judging/judge-job.ts';
import type { Judge } from '../judging/judge.ts';
import type { RuleCondition } from '../rules/rule.ts';
import { findCorrection } from './correction.ts';
import { PastJudge, type PastQuery } from './judge-past.ts';
import { whatIf } from './what-if.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 2, 1);
const run = (hours: number, changes: Partial<Run> = {}): Run => ({
  ...{ at: START + hours * HOUR, checkId: 'check', outcome: 'error', confirming: false, jobId: null, httpStatus: 200, failures: ['old'] },
  ...{ dns: 0, connect: 0, tls: 0, request: 0, waiting: 0, download: 0, total: 0, size: 1, page: 'page' },
  ...changes,
});
const headOf = (at: number, page = 'page', headers: AnswerHead['headers'] = []): KeptHead => ({
  ...{ at: START + at * HOUR, page },
  head: { url: 'https://example.com/', httpVersion: '1.1', statusText: 'OK', headers, redirectedBy: null, cut: false },
});
/** Judges as the service does, without its threads. */
const judge: Pick<Judge, 'judge'> = {
  judge: (job) => {
    const failures: RuleFailure[] = [];
    judgePage(job, (event) => {
      if (event.kind === 'ruleFailed') failures.push(event.failure);
    });
    return Promise.resolve({ kind: 'judged', failures });
  },
};

function past(
  runs: readonly Run[],
  heads: readonly KeptHead[],
  pages: Readonly<Record<string, Buffer>> = { page: Buffer.from('Welcome') },
  by = judge,
) {
  const within = <Item extends { readonly at: number }>(items: readonly Item[], from: number, to: number) =>
    Promise.resolve(items.filter(({ at }) => at >= from && at < to));
  let reads = 0;
  const answers = {
    page: (_: string, hash: string) => {
      reads++;
      return Promise.resolve(pages[hash] ?? null);
    },
    heads: (_: unknown, from: number, to: number) => within(heads, from, to),
  };
  const store = { between: (_: string, from: number, to: number) => within(runs, from, to) };
  return { store, judging: new PastJudge(answers, store, by), reads: () => reads };
}
const rule = (type: RuleCondition['type'], val: string): RuleCondition => ({ type, op: 'sub', val });
const asked = (rules: readonly RuleCondition[], changes: Partial<PastQuery> = {}): PastQuery => ({
  ...{ projectId: 'project', account: 1, checkId: 'check', type: 'simple', defaultErrors: false, rules },
  ...{ from: START, to: START + 1_000 * HOUR, keptFrom: 0 },
  ...changes,
});

describe('past runs judged by other rules', () => {
  it('are judged by their page, whichever run stored it', async () => {
    const { judging } = past([run(0), run(1), run(400), run(500, { page: 'expired' })], [headOf(1)]);
    expect(await whatIf(judging, asked([rule('text', 'Welcome')]))).toMatchObject({ runs: 4, judged: 3, changed: 3 });
  });

  it('read each page once, even if it is no longer stored', async () => {
    const { judging, reads } = past([run(0), run(1), run(2, { page: 'expired' }), run(3, { page: 'expired' })], []);
    await whatIf(judging, asked([rule('text', 'Welcome')]));
    expect(reads()).toBe(2);
  });

  it('are judged by headers only if those of the same run are stored', async () => {
    const { judging } = past([run(0), run(1), run(2)], [headOf(0, 'page', [['X-Shop', 'open']]), headOf(2, 'page', [['X-Shop', 'shut']])]);
    const found = await whatIf(judging, asked([rule('header', 'X-Shop: open')]));
    expect(found).toMatchObject({ runs: 3, judged: 2, verdicts: [{ new: 'ok' }, { new: 'error' }] });
  });

  it('are judged by the time of each run, whichever run stored the page', async () => {
    const { judging } = past([run(0, { total: 80, waiting: 50 }), run(1, { total: 120.5, waiting: 90 })], [headOf(0)]);
    const rules: RuleCondition[] = [{ type: 'time', op: 'lt', val: '100' }];
    expect(await whatIf(judging, asked(rules))).toMatchObject({
      ...{
        runs: 2,
        judged: 2,
        verdicts: [{ new: 'ok' }, { new: 'error', failures: ['expected the response time in ms to be less than "100", found "120.5"'] }],
      },
    });
    expect((await whatIf(judging, asked([{ type: 'time:wait', op: 'gt', val: '60' }]))).uptime.new).toBe(50);
  });

  it('are judged by redirects and certificates only if these were stored', async () => {
    const certificate = { issuer: 'CA', names: [], validTo: new Date(START + 240 * HOUR).toISOString(), key: 'EC P-256' };
    const stored = (at: number, facts: Partial<AnswerHead>): KeptHead => ({ ...headOf(at), head: { ...headOf(at).head, ...facts } });
    const before = { redirectedBy: { location: '/', to: 'https://example.com/' } };
    const heads = [stored(0, before), stored(1, { ...before, redirects: 2, certificate }), stored(200, { certificate })];
    const { judging } = past([run(0), run(1), run(200)], heads);
    expect(await whatIf(judging, asked([{ type: 'redirects', op: 'lte', val: '1' }]))).toMatchObject({
      ...{ runs: 3, judged: 2, verdicts: [{ new: 'error' }, { new: 'ok' }] },
    });
    expect(await whatIf(judging, asked([{ type: 'cert:days', op: 'gte', val: '5' }]))).toMatchObject({
      ...{ judged: 2, verdicts: [{ new: 'ok' }, { new: 'error', failures: [expect.stringContaining('found "1"')] }] },
    });
  });

  it('decode a page in the charset of its answer', async () => {
    const pages = { page: Buffer.from([0xc8, 0xe1, 0x73]) };
    const windows = headOf(0, 'page', [['Content-Type', 'text/html; charset=windows-1250']]);
    expect((await whatIf(past([run(0), run(1)], [windows], pages).judging, asked([rule('html', 'Čás')]))).uptime.new).toBe(100);
    const before = headOf(-1, 'page', windows.head.headers);
    expect((await whatIf(past([run(0)], [before], pages).judging, asked([rule('html', 'Čás')]))).uptime.new).toBe(100);
    expect((await whatIf(past([run(0), run(1)], [], pages).judging, asked([rule('html', 'Čás')]))).uptime.new).toBe(0);
  });

  it('parse the same bytes by the content type of each answer', async () => {
    const pages = { page: Buffer.from('<p>Wel<b>come</b>') };
    const [html, plain] = ['text/html', 'text/plain'].map((type): AnswerHead['headers'] => [['Content-Type', type]]);
    const heads = [headOf(0, 'page', html), headOf(2, 'page', plain), headOf(4, 'page', html)];
    const { judging } = past(
      [0, 1, 2, 3, 4, 5].map((at) => run(at)),
      heads,
      pages,
    );
    const { verdicts } = await whatIf(judging, asked([rule('text', 'Welcome')]));
    expect(verdicts.map((stretch) => [stretch.new, stretch.runs])).toEqual([
      ['ok', 2],
      ['error', 2],
      ['ok', 2],
    ]);
  });

  it('had to end with </html> where their record says so, also without a stored head', async () => {
    const { judging } = past([run(0, { endExpected: true }), run(1), run(2, { endExpected: true })], [headOf(2)]);
    const rules = [rule('text', 'Welcome')];
    const failures = [expect.stringMatching(/^expected the page to end with <\/html>/)];
    expect(await whatIf(judging, asked(rules, { defaultErrors: true }))).toMatchObject({
      ...{ judged: 3, changed: 1, verdicts: [{ new: 'error', failures }, { new: 'ok' }, { new: 'error', failures }] },
    });
    expect(await whatIf(judging, asked(rules))).toMatchObject({ judged: 3, changed: 3 });
  });

  it('are not judged without a head if the type of the check needs one', async () => {
    const icon = headOf(0, 'page', [['Content-Type', 'image/x-odd']]);
    expect(await whatIf(past([run(0)], []).judging, asked([], { type: 'favicon' }))).toMatchObject({ runs: 1, judged: 0 });
    expect(await whatIf(past([run(0)], [icon]).judging, asked([], { type: 'favicon' }))).toMatchObject({ judged: 1, uptime: { new: 100 } });
  });

  it('keep their result if there was no answer', async () => {
    const silent = run(0, { page: null, outcome: 'timeout', httpStatus: 0 });
    expect((await whatIf(past([silent], []).judging, asked([rule('header', 'X')]))).verdicts).toMatchObject([
      { old: 'timeout', new: 'timeout' },
    ]);
  });

  it('yield no partial result if judging is inconclusive', async () => {
    const crowded: Pick<Judge, 'judge'> = { judge: () => Promise.resolve({ kind: 'inconclusive', reason: 'too many pages waited' }) };
    const { judging } = past([run(0)], [], undefined, crowded);
    await expect(whatIf(judging, asked([rule('text', 'Welcome')]))).rejects.toThrow('too many pages waited');
  });

  it('are read from the start of the retention period only', async () => {
    const { judging } = past([run(0), run(10)], []);
    expect(await whatIf(judging, asked([], { from: -62_135_596_800_000, keptFrom: START + HOUR }))).toMatchObject({ runs: 1 });
  });
});

describe('a correction', () => {
  it('counts the runs of its period, and starts with the verdict before it', async () => {
    const { judging, store } = past([run(-1), run(1), run(2, { page: 'expired' }), run(3)], []);
    const found = await findCorrection(judging, store, asked([rule('text', 'Welcome')], { to: START + 4 * HOUR }), 'failing');
    expect(found).toMatchObject({ runs: 3, judged: 2, changed: 2 });
    expect(found.verdicts).not.toBe('');
  });
});

import { describe, expect, it } from '@jest/globals';
import { presetCheck } from '../../domain/check/preset.ts';
import type { Judgement } from '../judging/judge.ts';
import { NO_PHASES, type FetchOutcome } from '../probe/outcome.ts';
import { findingOf } from './finding.ts';

const journey = {
  ...{ url: 'https://site.example/', hops: [], certificate: null, address: null },
  phases: NO_PHASES,
};
const answered: FetchOutcome = {
  ...journey,
  ...{ kind: 'answered', httpVersion: '1.1', status: 200, statusText: 'OK', headers: [], body: Buffer.alloc(0), size: 0, cut: false },
};
const check = { id: 'c', projectId: 'p', areaId: 'a', settings: presetCheck('', '/', 'simple', []), order: 0 };
const rules = ['own title', 'area status'].map((name) => ({ type: 'text', op: 'eq', val: '', name }) as const);

async function found(outcome: FetchOutcome, judgement: Judgement = { kind: 'judged', failures: [] }) {
  const asked: unknown[] = [];
  const judge = { judge: (...given: unknown[]) => (asked.push(given), Promise.resolve(judgement)) };
  return { finding: await findingOf(outcome, rules, check, true, judge), asked };
}

describe('what a fetch says about a check', () => {
  it('is the set of what failed, each once and in an order of its own, with every sentence', async () => {
    const failures = [
      { rule: 1, sentence: 'b' },
      { rule: null, sentence: 'p' },
      { rule: 0, sentence: 'a' },
      { rule: null, sentence: 'q' },
    ];
    const { finding, asked } = await found(answered, { kind: 'judged', failures });
    expect(finding).toEqual({
      kind: 'found',
      failing: { status: 'error', rules: ['area status', 'own title', 'page'], failures: ['b', 'p', 'a', 'q'] },
    });
    expect(asked).toEqual([[expect.objectContaining({ type: 'simple', defaultErrors: true, rules }), 'p']]);
  });

  it('is nothing when all held', async () => {
    expect((await found(answered)).finding).toEqual({ kind: 'found', failing: null });
  });

  it('is a timeout or an error where nobody answered, and no page is judged', async () => {
    const late = await found({ ...journey, kind: 'timedOut', during: 'wait', reason: 'no answer' });
    expect(late).toEqual({
      finding: { kind: 'found', failing: { status: 'timeout', rules: ['fetch'], failures: ['no answer'] } },
      asked: [],
    });
    const refused = await found({ ...journey, kind: 'failed', code: 'connection', during: 'connect', reason: 'refused' });
    expect(refused.finding).toEqual({ kind: 'found', failing: { status: 'error', rules: ['fetch connection'], failures: ['refused'] } });
  });

  it('is nothing about the check when the trouble is ours', async () => {
    const own = { kind: 'inconclusive', reason: 'no room' } as const;
    expect((await found({ ...journey, ...own })).finding).toEqual(own);
    expect((await found(answered, own)).finding).toEqual(own);
  });
});

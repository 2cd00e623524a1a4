import { describe, expect, it } from '@jest/globals';
import { presetCheck } from '../../projects/checks/preset.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import type { Judgement } from '../judging/judge.ts';
import { type Answered, NO_PHASES } from '../probe/outcome.ts';
import { storedAnswer } from '../rules/stored-answer.ts';
import { judgementOf } from './check-runner.ts';
import type { FetchedAnswer } from './run-observation.ts';

const journey = {
  ...{ url: 'https://site.example/', hops: [], certificate: null, address: null },
  phases: NO_PHASES,
};
const outcome: Answered = {
  ...journey,
  ...{ kind: 'answered', httpVersion: '1.1', status: 200, statusText: 'OK', headers: [], body: Buffer.alloc(0), size: 0, cut: false },
};
const answered: FetchedAnswer = { outcome, answer: storedAnswer(outcome, 0) };
const check = { id: 'c', projectId: 'p', areaId: 'a', settings: presetCheck('', '/', 'simple', []), order: 0 };
const project = { settings: { checkDefaultErrors: true }, payerId: 7 } as unknown as ProjectRow;
const rules = ['own title', 'area status'].map((name) => ({ owner: 'own', type: 'text', op: 'eq', val: '', name }) as const);

async function judged(fetched: FetchedAnswer, judgement: Judgement = { kind: 'judged', failures: [] }) {
  const asked: unknown[] = [];
  const judge = { judge: (...given: unknown[]) => (asked.push(given), Promise.resolve(judgement)) };
  const found = await judgementOf(fetched, rules, check, project, judge);
  return { failing: found.kind === 'judged' ? found.failing : found, asked };
}

describe('judgementOf', () => {
  it('names each failed rule once, sorted, with every sentence', async () => {
    const failures = [
      { rule: 1, sentence: 'b' },
      { rule: null, sentence: 'p' },
      { rule: 0, sentence: 'a' },
      { rule: null, sentence: 'q' },
    ];
    const { failing, asked } = await judged(answered, { kind: 'judged', failures });
    expect(failing).toEqual({ status: 'error', rules: ['area status', 'own title', 'page'], failures: ['b', 'p', 'a', 'q'] });
    expect(asked).toEqual([[expect.objectContaining({ type: 'simple', defaultErrors: true, rules }), 'p', 7]]);
  });

  it('is null when all rules hold', async () => {
    expect((await judged(answered)).failing).toBeNull();
  });

  it('is a timeout or an error without an answer, and judges no page', async () => {
    const late = await judged({ outcome: { ...journey, kind: 'timedOut', during: 'wait', reason: 'no answer' }, answer: null });
    expect(late).toEqual({ failing: { status: 'timeout', rules: ['fetch'], failures: ['no answer'] }, asked: [] });
    const refusal = { kind: 'failed', code: 'connection', during: 'connect', reason: 'refused' } as const;
    const refused = await judged({ outcome: { ...journey, ...refusal }, answer: null });
    expect(refused.failing).toEqual({ status: 'error', rules: ['fetch connection'], failures: ['refused'] });
  });

  it('is inconclusive when the page could not be judged', async () => {
    const starved = { kind: 'inconclusive', reason: 'no room' } as const;
    expect((await judged(answered, starved)).failing).toEqual(starved);
  });
});

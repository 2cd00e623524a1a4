import { expect, it } from '@jest/globals';
import { Guard } from '../../base/guard/guard.ts';
import { MemoryKeyring } from '../../base/keyring/memory-keyring.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Judge } from '../judging/judge.ts';
import type { Rule } from '../rules/rule.ts';
import { Trial } from './trial.ts';
import { TrialNotPossible } from './trial-not-possible.ts';

const xpath = { type: 'html', op: 'xpath', val: '//h1' } as const satisfies Rule;

it('blames no rule for a thread that falls over: what could not be read is trouble of our own', async () => {
  const judge = new Judge({ entry: new URL('data:text/javascript,process.exit(1)'), threads: 1 });
  const trial = new Trial({ guard: new Guard(), keyring: new MemoryKeyring(), clock: systemClock, judge });
  try {
    await expect(trial.problems([xpath])).rejects.toThrow(TrialNotPossible);
    expect(await trial.problems([{ ...xpath, op: 'regex', val: '(' }])).toEqual([expect.stringContaining('rule 1 (html regex)')]);
  } finally {
    await trial.close();
  }
});

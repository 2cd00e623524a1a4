import { expect, it } from '@jest/globals';
import { compiledWorker } from '../../../test/support/compiled-worker.ts';
import { planWithForm } from '../../../test/support/form-plan.ts';
import { startHttp } from '../../../test/support/servers/site.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { systemClock } from '../../kernel/clock.ts';
import { FormReader } from '../forms/form-reader.ts';
import { Judge } from '../judging/judge.ts';
import { Trial } from './trial.ts';
import { TrialNotPossible } from './judge-past.ts';

const guard = new SsrfGuard({ allowed: ['127.0.0.0/8'] });
const keyring = new MemoryKeyring();
const runs = { haveEnded: () => Promise.resolve(false) };

it('signs in by the form of the area, as the check would', async () => {
  const forms = new FormReader(compiledWorker(new URL('../forms/forms-worker.ts', import.meta.url)));
  const trial = new Trial({ guard, keyring, clock: systemClock, runs, forms });
  let isOpen = true;
  const site = await startHttp((request, response) => {
    const isMember = request.headers.cookie === 'member=1';
    if (request.method === 'POST' && isOpen) response.setHeader('Set-Cookie', 'member=1');
    response.statusCode = request.method === 'POST' && !isOpen ? 403 : 200;
    response.setHeader('Content-Type', 'text/html');
    response.end(isMember ? 'Welcome back' : '<form id=login method=post action=/in><input name=user></form>');
  });
  try {
    const { plan, check } = planWithForm(site.url);
    const rules = [{ type: 'text', op: 'sub', val: 'Welcome', origin: '', templateId: '', order: 1 } as const];
    const tried = { ...check, settings: { ...check.settings, rules } };
    const area = plan.areas.get('area') ?? null;
    expect(await trial.run(plan.project, area, tried)).toMatchObject({ kind: 'made', result: { status: 'ok', failures: [] } });
    expect(await trial.run(plan.project, null, { ...tried, areaId: '' })).toMatchObject({ result: { status: 'error' } });
    isOpen = false;
    expect(await trial.run(plan.project, area, tried)).toMatchObject({
      result: { status: 'error', failures: ['The sign-in failed: the form was answered with status 403'] },
    });
  } finally {
    await Promise.all([trial.close(), site.close()]);
  }
});

it('is inconclusive, and blames no rule, if a worker thread crashes', async () => {
  const judge = new Judge({ entry: new URL('data:text/javascript,process.exit(1)'), threads: 1 });
  const trial = new Trial({ guard, keyring, clock: systemClock, runs, judge });
  try {
    await expect(trial.syntaxProblems([{ kind: 'xpath', source: '//h1' }])).rejects.toThrow(TrialNotPossible);
    await expect(trial.syntaxProblems([{ kind: 'pattern', source: '(' }])).rejects.toThrow(TrialNotPossible);
  } finally {
    await trial.close();
  }
});

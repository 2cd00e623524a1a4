import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { LIMITS } from '../../../kernel/limits.ts';
import { LimitMetrics, Metrics } from './metrics.ts';

it('counts refusals by limit, and exports every limit before its first refusal', async () => {
  const metrics = new Metrics();
  const meter = new LimitMetrics(metrics);
  meter.refused('guesses');
  meter.refused('kept_pages', 7);
  meter.refused('sessions', 0);
  const text = await metrics.registry.metrics();
  for (const limit of LIMITS) {
    const count = { guesses: 1, kept_pages: 7 }[limit as string] ?? 0;
    expect(text).toContain(`watchledger_refusals_total{limit="${limit}"} ${String(count)}\n`);
  }
});

it('has a row in docs/operations.md for every limit', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/operations.md'), 'utf8');
  const [, section = ''] = page.split('\n### Refusals\n');
  const rows = [...(section.split('\n#')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(['limit', ...LIMITS]);
});

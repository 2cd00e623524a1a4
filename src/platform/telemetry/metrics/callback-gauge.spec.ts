import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { callbackGauge } from './callback-gauge.ts';

describe('a gauge that is computed at each scrape', () => {
  it('is omitted while the database hangs, and does not affect other gauges', async () => {
    const registry = new Registry();
    let answer: (value: number) => void = () => undefined;
    callbackGauge(registry, { name: 'there', help: 'is there' }, (set) => {
      set(1);
    });
    callbackGauge(registry, { name: 'hangs', help: 'comes too late' }, async (set) => {
      set(await new Promise<number>((resolve) => (answer = resolve)));
    });
    const text = await registry.metrics();
    expect(text).toMatch(/^there 1$/m);
    expect(text).not.toMatch(/^hangs /m);
    // A value that arrives late is discarded.
    answer(7);
    await Promise.resolve();
    expect(await registry.getMetricsAsJSON()).toMatchObject([{ values: [{ value: 1 }] }, { values: [] }]);
  });

  it('is omitted when it cannot be computed', async () => {
    const registry = new Registry();
    callbackGauge(registry, { name: 'away', help: 'is away' }, () => Promise.reject(new Error('no database')));
    expect(await registry.metrics()).not.toMatch(/^away /m);
  });
});

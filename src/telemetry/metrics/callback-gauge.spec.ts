import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { callbackGauge } from './callback-gauge.ts';

describe('a figure that is asked for at each scrape', () => {
  it('is left out while the database hangs, and everything else is told all the same', async () => {
    const registry = new Registry();
    let answer: (value: number) => void = () => undefined;
    callbackGauge(registry, { name: 'there', help: 'is there' }, (tell) => {
      tell(1);
    });
    callbackGauge(registry, { name: 'hangs', help: 'comes too late' }, async (tell) => {
      tell(await new Promise<number>((resolve) => (answer = resolve)));
    });
    const text = await registry.metrics();
    expect(text).toMatch(/^there 1$/m);
    expect(text).not.toMatch(/^hangs /m);
    // What comes after the answer is no figure of any scrape.
    answer(7);
    await Promise.resolve();
    expect(await registry.getMetricsAsJSON()).toMatchObject([{ values: [{ value: 1 }] }, { values: [] }]);
  });

  it('is left out when it cannot be told', async () => {
    const registry = new Registry();
    callbackGauge(registry, { name: 'away', help: 'is away' }, () => Promise.reject(new Error('no database')));
    expect(await registry.metrics()).not.toMatch(/^away /m);
  });
});

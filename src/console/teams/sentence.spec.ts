import { expect, it } from '@jest/globals';
import { type ShownProjection, projectionsSentence } from './sentence.ts';

const projection = (more: Partial<ShownProjection> = {}): ShownProjection => ({
  ...{ name: 'titles', version: '1', core: false, state: 'live', position: 9, head: 9, gap: 0, lag: 0, rate: 0, parked: 0 },
  ...more,
});

it('says that all projections are up to date', () => {
  expect(projectionsSentence([projection(), projection({ gap: 3, lag: 1 })])).toBe('All 2 projections are up to date.');
});

it('names the one that needs attention, and why', () => {
  const rest = projection({ name: 'rest' });
  const of = (more: Partial<ShownProjection>): string => projectionsSentence([rest, projection(more)]);
  expect(of({ parked: 1 })).toBe('1 of 2 projections needs attention: titles has 1 parked key.');
  expect(of({ state: 'paused', gap: 7, lag: 90 })).toBe('1 of 2 projections needs attention: titles is paused.');
  expect(of({ state: 'failed', error: 'no such table' })).toBe('1 of 2 projections needs attention: titles failed: no such table.');
  expect(of({ state: 'stopped', error: 'gone' })).toBe(
    '1 of 2 projections needs attention: titles is stopped: no instance runs its package.',
  );
  expect(of({ gap: 5, lag: 61 })).toBe('1 of 2 projections needs attention: titles is late.');
});

it('counts several, and what is being rebuilt', () => {
  expect(projectionsSentence([projection({ parked: 2 }), projection({ state: 'paused' })])).toBe('2 of 2 projections need attention.');
  expect(projectionsSentence([projection({ state: 'building', lag: 900 }), projection()])).toBe('1 of 2 projections is being rebuilt.');
});

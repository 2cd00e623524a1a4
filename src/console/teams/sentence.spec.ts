import { expect, it } from '@jest/globals';
import { readersSentence, type ShownConsumer, type ShownProjection } from './sentence.ts';

const projection = (more: Partial<ShownProjection> = {}): ShownProjection => ({
  ...{ name: 'titles', version: '1', core: false, state: 'live', position: 9, head: 9, gap: 0, lag: 0, rate: 0, parked: 0 },
  ...more,
});

const consumer = (more: Partial<ShownConsumer> = {}): ShownConsumer => ({
  ...{ name: 'alerts', about: 'alerts', package: null, state: 'live', position: 9, head: 9, gap: 0, lag: 0, parked: 0 },
  ...more,
});

it('says that all are up to date', () => {
  expect(readersSentence([projection(), projection({ gap: 3, lag: 1 })], [consumer()])).toBe(
    'All 2 projections and 1 consumer are up to date.',
  );
});

it('names the one that needs attention, and why', () => {
  const rest = projection({ name: 'rest' });
  const of = (more: Partial<ShownProjection>): string => readersSentence([rest, projection(more)], [consumer()]);
  expect(of({ parked: 1 })).toBe('1 of 2 projections and 1 consumer needs attention: titles has 1 parked key.');
  expect(of({ state: 'paused', gap: 7, lag: 90 })).toBe('1 of 2 projections and 1 consumer needs attention: titles is paused.');
  expect(of({ state: 'failed', error: 'no such table' })).toBe(
    '1 of 2 projections and 1 consumer needs attention: titles failed: no such table.',
  );
  expect(of({ state: 'stopped', error: 'gone' })).toBe(
    '1 of 2 projections and 1 consumer needs attention: titles is stopped: no instance runs its package.',
  );
  expect(of({ gap: 5, lag: 61 })).toBe('1 of 2 projections and 1 consumer needs attention: titles is late.');
});

it('names a consumer that is paused, failed, late, or has parked something', () => {
  const of = (more: Partial<ShownConsumer>): string =>
    readersSentence([projection()], [consumer(more), consumer({ name: 'status-notices' })]);
  const begin = '1 of 1 projections and 2 consumers needs attention: alerts';
  expect(of({ state: 'paused', parked: 1, lag: 90 })).toBe(`${begin} is paused.`);
  expect(of({ parked: 2 })).toBe(`${begin} has 2 parked partitions.`);
  expect(of({ state: 'failed', error: 'it is another log' })).toBe(`${begin} failed: it is another log.`);
  expect(of({ state: 'stopped', error: 'gone' })).toBe(`${begin} is stopped: no instance runs it.`);
  expect(of({ lag: 61 })).toBe(`${begin} is late.`);
});

it('counts several, and what is being rebuilt', () => {
  expect(readersSentence([projection({ parked: 2 }), projection()], [consumer({ state: 'paused' })])).toBe(
    '2 of 2 projections and 1 consumer need attention.',
  );
  expect(readersSentence([projection({ state: 'building', lag: 900 }), projection()], [consumer()])).toBe(
    '1 of 2 projections is being rebuilt.',
  );
});

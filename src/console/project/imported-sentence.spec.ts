import { expect, it } from '@jest/globals';
import { importedSentence } from './sentence.ts';

const days = {
  origin: 'imported:uptime-kuma',
  from: '2026-02-27',
  up: [1_400, 0, 1_430],
  down: [40, 0, 10],
  importedAt: null,
  event: null,
};

it('sums up what another product measured', () => {
  expect(importedSentence(days)).toBe(
    'uptime-kuma measured 98.264 % in 2,880 probes, 2026-02-27 to 2026-03-01; no other figure contains it',
  );
});

it('says nothing where nothing was imported or measured', () => {
  expect(importedSentence({ ...days, origin: null, from: null, up: [], down: [] })).toBeNull();
  expect(importedSentence({ ...days, up: [0, 0, 0], down: [0, 0, 0] })).toBeNull();
});

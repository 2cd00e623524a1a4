import { expect, it } from '@jest/globals';
import { compilePattern, simpleSearchCost } from './patterns.ts';

it('refuses patterns that expand to more than 10000 instructions', () => {
  const heavy = ['x{1000}'.repeat(146), '\\p{L}{1000}'.repeat(90), '(?:a{0,30}){0,30}'.repeat(50), '(((a{10}){10}){10}){10}'];
  expect(heavy.map(compilePattern)).toEqual(heavy.map(() => ({ ok: false, reason: 'its repetitions expand to more than 10000 steps' })));
  expect(compilePattern('(?:[\\s\\S]{0,300}error){1,3}').ok).toBe(true);
});

it('refuses ranges that take long to fold, before compiling them', () => {
  const began = process.cpuUsage();
  const hostile = Array.from({ length: 23 }, (_, nth) => compilePattern(`(?i)${String(nth)}${'[B-\u{1E000}]'.repeat(110)}`));
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(500);
  const reason = 'its ranges hold more than 250000 letters, which (?i) compares in both cases';
  expect(new Set(hostile.map((compiled) => (compiled.ok ? '' : compiled.reason)))).toEqual(new Set([reason]));
  expect(compilePattern('(?i)[\\x{80}-\\x{10FFFF}]').ok).toBe(true);
});

it('simpleSearchCost is infinite for what must not be compiled on the shared thread', () => {
  const foreign = ['(?i)[B-\u{1E000}]', '\\pL', 'a{600}', 'x'.repeat(501)];
  expect(foreign.map((source) => simpleSearchCost(source, 1))).toEqual(foreign.map(() => Infinity));
  expect(simpleSearchCost('a.b', 100)).toBe(500);
});

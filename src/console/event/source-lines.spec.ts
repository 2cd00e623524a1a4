import { expect, it } from '@jest/globals';
import { isWholePage, missingPage, sourceLines } from './source-lines.ts';

const text = '<h1>Größe</h1>\n<p>lost</p>';

it('says why there is no page to show', () => {
  expect(missingPage({ answer: null, reason: 'no whole answer within 3 s' })).toBe('No page came: no whole answer within 3 s.');
  expect(missingPage({ answer: null, reason: null })).toBe('No page came.');
  expect(missingPage({ answer: {}, reason: null })).toBe('The page itself is no longer kept.');
});

it('marks bytes, not characters', () => {
  const from = new TextEncoder().encode('<h1>').length;
  const to = from + new TextEncoder().encode('Größe').length;
  expect(sourceLines(text, [{ from, to, result: 'passed' }])[0]?.parts).toEqual([
    { text: '<h1>', result: null },
    { text: 'Größe', result: 'passed' },
    { text: '</h1>', result: null },
  ]);
});

it('shows a failed mark where marks overlap, and a mark over several lines in each', () => {
  const lines = sourceLines(text, [
    { from: 0, to: 40, result: 'passed' },
    { from: 18, to: 20, result: 'failed' },
  ]);
  expect(lines.map(({ parts }) => parts.map(({ result }) => result))).toEqual([['passed'], ['passed', 'failed', 'passed']]);
});

it('gives the lines that are asked for, with their numbers', () => {
  expect(sourceLines('a\nb\nc', [], 1, 1)).toEqual([{ number: 2, parts: [{ text: 'b', result: null }] }]);
  expect(sourceLines('', [])).toEqual([{ number: 1, parts: [] }]);
});

it('knows a mark that is the whole page', () => {
  expect([isWholePage({ from: 0, to: 233 }, 233), isWholePage({ from: 163, to: 177 }, 233)]).toEqual([true, false]);
});

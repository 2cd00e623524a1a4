import { expect, it } from '@jest/globals';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { InvalidInput, MAX_PROBLEMS } from '../../../kernel/errors.ts';
import { SiteFile } from '../../../site-files/site-file.dto.ts';
import { StatusPageDocument } from '../../../site-files/status-page-file.dto.ts';
import { instanceOf, type InputClass, readInput } from './input.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const rules: Json = [{ type: 'status', op: 'eq', val: 200 }];
const site: Json = {
  ...{ key: 'shop', url: 'https://shop.example', title: 'Shop', period: '5 minutes', uptimeEnabled: 30, timeout: 9, tags: ['de', 'shop'] },
  groups: [
    {
      ...{ name: 'Public', public: true, rules: [rules], options: { w: 'X-From: here' }, httpAuth: { user: 'u', password: 'p', url: '' } },
      checks: [
        { name: 'Front', url: '/', rules },
        { key: 'cart', url: '/cart', options: { method: 'POST', body: '{}', extract: [{ name: 'token', from: 'json:$.token' }] } },
      ],
    },
  ],
  members: [{ email: 'ada@shop.example', role: 6 }],
  notifications: { severity: 3, slack: true },
  objective: { objective: { percent: 99.9, window: 'month' }, credits: [{ below: 99, percent: 10 }] },
  maintenance: [{ from: '2031-01-05T02:00:00Z', to: '2031-01-05T04:00:00Z', note: 'database', repeat: 'weekly' }],
};
const page: Json = {
  statusPage: {
    ...{ slug: 'shop', title: 'Shop', access: 'public', languages: ['en'], words: { about: 'What works' } },
    groups: [{ name: 'Shop', items: [{ name: 'Start', project: 'shop', check: 'Front' }] }],
  },
};

const pathsIn = (value: Json): readonly (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [[name], ...pathsIn(inner).map((below) => [name, ...below])])
    : [];

/** Undefined for an input without the member. */
function changed(value: Json, [name = '', ...below]: readonly string[], to: Json | undefined): Json {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([member, inner]): [string, Json][] => {
    if (member !== name) return [[member, inner]];
    if (below.length > 0) return [[member, changed(inner, below, to)]];
    return to === undefined ? [] : [[member, to]];
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

const other: fc.Arbitrary<Json | undefined> = fc.oneof(
  fc.constantFrom<Json | undefined>(
    undefined,
    null,
    true,
    0,
    -1,
    1.5,
    '',
    'x',
    '/',
    '5',
    'eq',
    [],
    [[]],
    [null],
    [{}],
    {},
    { name: 'x' },
    rules,
  ),
  fc.jsonValue().map((value) => value as Json),
);

const problemsOf = (input: InputClass, given: Json): readonly string[] => {
  try {
    readInput(input, given);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.problems.map(({ message }) => message);
  }
};

it.each<[string, InputClass, Json]>([
  ['a site', SiteFile, site],
  ['a status page', StatusPageDocument, page],
])('accepts %s of a file exactly where class-validator finds no problem', (_, input, valid) => {
  expect(problemsOf(input, valid)).toEqual([]);
  const change = fc.tuple(fc.constantFrom(...pathsIn(valid)), other);
  const given = fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((all) => all.reduce((value, [path, to]) => changed(value, path, to), valid));
  fc.assert(
    fc.property(given, (value) => {
      const found = validateSync(instanceOf(input, value) as object, { stopAtFirstError: true, forbidUnknownValues: false });
      const listed = problemsOf(input, value);
      // Unknown fields are listed first, and may leave no place for others.
      fc.pre(listed.length < MAX_PROBLEMS);
      const problems = listed.filter((message) => !message.includes('is not a known field'));
      expect(problems.length > 0).toBe(found.length > 0);
    }),
    { numRuns: 400 },
  );
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readYaml } from './yaml-text.ts';

const problemsIn = (text: string): readonly string[] =>
  readYaml(text).problems.map(({ line, column, message }) => `${String(line)}:${String(column)} ${message}`);

describe('a YAML text', () => {
  it('is read as documents, each with the places of its members', () => {
    const { documents, problems } = readYaml('a:\n  - name: x\n    url: /y\n---\nb: 1\n');
    expect(problems).toEqual([]);
    expect(documents.map(({ value }) => value)).toEqual([{ a: [{ name: 'x', url: '/y' }] }, { b: 1 }]);
    const [first, second] = documents;
    expect(first?.placeOf('a.0.url')).toEqual({ line: 3, column: 5 });
    expect(first?.placeOf('a.0.missing')).toEqual({ line: 2, column: 5 });
    expect(second?.placeOf('b')).toEqual({ line: 5, column: 1 });
  });

  it('repeats what an anchor names, and merges it', () => {
    const { documents, problems } = readYaml('base: &base {op: eq, val: 1}\nrules:\n  - *base\n  - {<<: *base, val: 2}\n');
    expect(problems).toEqual([]);
    expect(documents[0]?.value).toMatchObject({
      rules: [
        { op: 'eq', val: 1 },
        { op: 'eq', val: 2 },
      ],
    });
    expect(documents[0]?.placeOf('rules.0.op').line).toBe(1);
  });

  it('may be empty between two lines of dashes, as its words are text', () => {
    expect(readYaml('---\n---\nyes: no\n').documents.map(({ value }) => value)).toEqual([{ yes: 'no' }]);
  });

  it.each([
    ['a tab', 'key: a\n\turl: x\n', /^2:1 a tab indents this line; YAML takes spaces only$/],
    ['a key twice', 'key: a\nkey: b\n', /^2:1 this key stands in the mapping already/],
    ['an open bracket', 'a: [1, 2\n', /^\d:\d /],
    ['an alias of nothing', 'a: *missing\n', /missing/],
    ['an alias that loops', 'key: &k\n  - *k\n', /refers to what it stands in/],
    ['a tag of a program', 'a: 1\nb: !!js/function "x"\n', /^2:4 a tag is not supported here/],
    ['a tag of another product', 'a: !include other.yaml\n', /^1:4 a tag is not supported here/],
  ])('names the place of %s', (_, text, problem) => {
    expect(problemsIn(text).join('\n')).toMatch(problem);
  });

  it('refuses aliases that unfold to billions, at once', () => {
    const levels = 'abcdefghi'.split('');
    const bomb = levels.map((name, index) => {
      const inner = index === 0 ? 'x' : `*${levels[index - 1] ?? ''}`;
      return `${name}: &${name} [${Array.from({ length: 9 }, () => inner).join(',')}]`;
    });
    const began = performance.now();
    expect(problemsIn(bomb.join('\n'))).toEqual([expect.stringContaining('aliases repeat too much')]);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it.each([
    ['nested mappings', 'a: '.repeat(100_000), ['1:299 nests more than 100 deep']],
    ['nested sequences', '['.repeat(100_000), ['1:101 nests more than 100 deep']],
    [
      'keys',
      Array.from({ length: 160_000 }, (_, n) => `${n.toString(36)}: `).join('\n'),
      ['100001:5 has more than 100000 keys; divide the file'],
    ],
    ['documents', '---\n'.repeat(260_000), ['5001:1 has more than 5000 documents; divide the file']],
    ['quotes', '"'.repeat(1_000_000), ['1:205 is no YAML: more than 100 faults']],
    ['tags', '! '.repeat(500_000), ['1:202 is no YAML: more than 100 faults']],
    ['directives', '%a\n'.repeat(340_000), ['101:3 is no YAML: more than 100 faults']],
    ['brackets', '}'.repeat(1_000_000), ['1:102 is no YAML: more than 100 faults']],
  ])('has one problem with a mebibyte of %s', (_, text, problems) => {
    const before = process.cpuUsage();
    expect(problemsIn(text)).toEqual(problems);
    expect(process.cpuUsage(before).user / 1e3).toBeLessThan(3_000);
  });

  it('compares keys in linear time', () => {
    const keys = Array.from({ length: 20_000 }, (_, n) => `k${String(n)}: 1`).join('\n');
    const before = process.cpuUsage();
    expect(problemsIn(`${keys}\nk7: 2\n`)).toEqual(['20001:1 this key stands in the mapping already; keep one of them']);
    expect(process.cpuUsage(before).user / 1e3).toBeLessThan(3_000);
  });

  it('may be JSON, whose places are those of its one line', () => {
    const [document] = readYaml('{"a":[{"name":"x","url":"/y"}]}').documents;
    expect(document?.value).toEqual({ a: [{ name: 'x', url: '/y' }] });
    expect(document?.placeOf('a.0.url')).toEqual({ line: 1, column: 19 });
    expect(problemsIn('{"key":"a","key":"b"}')).toEqual([expect.stringMatching(/^1:\d+ this key stands in the mapping already/)]);
  });

  it('is read alike in one line of JSON and in several', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), fc.jsonValue({ maxDepth: 3 })), (value) => {
        const [one, several] = [JSON.stringify(value), JSON.stringify(value, null, 2)].map((text) => readYaml(text));
        expect(one?.documents.map((document) => document.value)).toEqual(several?.documents.map((document) => document.value));
        expect(one?.problems).toEqual(several?.problems);
      }),
    );
  });

  it('gives no object another prototype', () => {
    const [document] = readYaml('__proto__: {polluted: true}\nconstructor: 1\n').documents;
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(document?.value)).toBe(Object.prototype);
  });
});

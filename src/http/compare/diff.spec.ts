import { describe, expect, it } from '@jest/globals';
import { differences, type Fields } from './diff.ts';

const things = (given: Readonly<Record<string, Fields>>) => new Map(Object.entries(given));
const sealed = (text: string) => ({ subject: 'project-1', sealed: text });

describe('The differences of two instants', () => {
  it('are named field by field, however deep', () => {
    const before = things({ project: { title: 'Shop', delay: 50 }, 'tests/1': { enabled: true, options: { g: false, l: true } } });
    const after = things({ project: { title: 'Store', delay: 50 }, 'tests/1': { enabled: false, options: { g: true, l: true } } });
    expect(differences(before, after)).toEqual([
      { path: 'project.title', from: 'Shop', to: 'Store' },
      { path: 'tests/1.enabled', from: true, to: false },
      { path: 'tests/1.options.g', from: false, to: true },
    ]);
    expect(differences(before, before)).toEqual([]);
  });

  it('are one where a thing came or went', () => {
    const gone = { name: 'Homepage' };
    expect(differences(things({ 'tests/1': gone }), things({ 'areas/2': { name: 'Shop' } }))).toEqual([
      { path: 'tests/1', from: gone, to: null },
      { path: 'areas/2', from: null, to: { name: 'Shop' } },
    ]);
  });

  it('do not depend on who made an equal list, and never look into a secret', () => {
    const of = (rules: unknown, password: string) => things({ 'areas/1': { rules, httpAuth: { password: sealed(password) } } });
    expect(differences(of([{ op: 'sub' }], 'a'), of([{ op: 'sub' }], 'a'))).toEqual([]);
    expect(differences(of([], 'a'), of([{ op: 'sub' }], 'b'))).toEqual([
      { path: 'areas/1.rules', from: [], to: [{ op: 'sub' }] },
      { path: 'areas/1.httpAuth.password', from: sealed('a'), to: sealed('b') },
    ]);
  });

  it('tell what is not there from what is null no more than JSON does', () => {
    expect(differences(things({ project: { isWordPress: null } }), things({ project: {} }))).toEqual([]);
    expect(differences(things({ project: {} }), things({ project: { isWordPress: true } }))).toStrictEqual([
      { path: 'project.isWordPress', from: null, to: true },
    ]);
    expect(differences(things({ project: { isWordPress: true } }), things({ project: {} }))).toStrictEqual([
      { path: 'project.isWordPress', from: true, to: null },
    ]);
  });
});

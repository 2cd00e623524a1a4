import { describe, expect, it } from '@jest/globals';
import { differences, type ComparedFields } from './diff.ts';

const things = (given: Readonly<Record<string, ComparedFields>>) => new Map(Object.entries(given));
const sealed = (text: string) => ({ subject: 'project-1', sealed: text });

describe('the differences between two instants', () => {
  it('are listed field by field, at any depth', () => {
    const before = things({ project: { title: 'Shop', delay: 50 }, 'tests/1': { enabled: true, options: { g: false, l: true } } });
    const after = things({ project: { title: 'Store', delay: 50 }, 'tests/1': { enabled: false, options: { g: true, l: true } } });
    expect(differences(before, after)).toEqual([
      { path: 'project.title', from: 'Shop', to: 'Store' },
      { path: 'tests/1.enabled', from: true, to: false },
      { path: 'tests/1.options.g', from: false, to: true },
    ]);
    expect(differences(before, before)).toEqual([]);
  });

  it('are one for an object that was created or deleted', () => {
    const deleted = { name: 'Homepage' };
    expect(differences(things({ 'tests/1': deleted }), things({ 'areas/2': { name: 'Shop' } }))).toEqual([
      { path: 'tests/1', from: deleted, to: null },
      { path: 'areas/2', from: null, to: { name: 'Shop' } },
    ]);
  });

  it('compare lists by value and sealed secrets as a whole', () => {
    const of = (rules: unknown, password: string) => things({ 'areas/1': { rules, httpAuth: { password: sealed(password) } } });
    expect(differences(of([{ op: 'sub' }], 'a'), of([{ op: 'sub' }], 'a'))).toEqual([]);
    expect(differences(of([], 'a'), of([{ op: 'sub' }], 'b'))).toEqual([
      { path: 'areas/1.rules', from: [], to: [{ op: 'sub' }] },
      { path: 'areas/1.httpAuth.password', from: sealed('a'), to: sealed('b') },
    ]);
  });

  it('treat a missing field as null', () => {
    expect(differences(things({ project: { isWordPress: null } }), things({ project: {} }))).toEqual([]);
    expect(differences(things({ project: {} }), things({ project: { isWordPress: true } }))).toStrictEqual([
      { path: 'project.isWordPress', from: null, to: true },
    ]);
    expect(differences(things({ project: { isWordPress: true } }), things({ project: {} }))).toStrictEqual([
      { path: 'project.isWordPress', from: true, to: null },
    ]);
  });
});

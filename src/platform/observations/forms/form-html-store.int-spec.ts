import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createObservationDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { deleteOrphans } from '../retention.ts';
import { FormHtmlStore } from './form-html-store.ts';

let database: TestDatabase;
let store: FormHtmlStore;
beforeAll(async () => {
  database = await createObservationDatabase();
  store = new FormHtmlStore(database.pool);
});
afterAll(() => database.drop());

const [project, area, other] = ['a1', 'b2', 'c3'].map((byte) => byte.repeat(12)) as [string, string, string];
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const keep = (areaId: string, text: string, at: number): Promise<boolean> =>
  store.keep({ projectId: project, areaId, sha256: sha256(text) }, at, { subject: `project-${project}`, sealed: `sealed ${text}` });
const read = async (areaId: string, text: string): Promise<string | undefined> =>
  (await store.read([{ projectId: project, areaId, sha256: sha256(text) }])).get(areaId);

describe('the markup of saved forms', () => {
  it('is stored once per group and hash, in the last four versions', async () => {
    expect(await keep(area, 'first', 1)).toBe(true);
    expect(await keep(area, 'first', 2)).toBe(false);
    for (const [index, text] of ['second', 'third', 'fourth'].entries()) await keep(area, text, 3 + index);
    expect(await keep(other, 'first', 1)).toBe(true);
    await keep(area, 'first', 10);
    await keep(area, 'fifth', 11);
    const kept = await Promise.all(['first', 'second', 'third', 'fourth', 'fifth'].map((text) => read(area, text)));
    expect(kept).toEqual(['sealed first', undefined, 'sealed third', 'sealed fourth', 'sealed fifth']);
    const both = await store.read([area, other].map((areaId) => ({ projectId: project, areaId, sha256: sha256('first') })));
    expect([...both.keys()].toSorted()).toEqual([area, other]);
  });

  it('ends with its group, and with its project once that is past the retention', async () => {
    await store.forget(project, area);
    expect([await read(area, 'fifth'), await read(other, 'first')]).toEqual([undefined, 'sealed first']);
    const existing = (ids: readonly string[]) => (): Promise<ReadonlySet<string>> => Promise.resolve(new Set(ids));
    expect(await deleteOrphans(database.pool, { checks: existing([]), projects: existing([project]) }, 5)).toBe(0);
    expect(await deleteOrphans(database.pool, { checks: existing([]), projects: existing([]) }, 5)).toBe(1);
    expect(await read(other, 'first')).toBeUndefined();
  });
});

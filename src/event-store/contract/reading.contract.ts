import { describe, expect } from '@jest/globals';
import type { ReadOptions } from '../event-store.ts';
import { begun, event, idsOf, newStream, read } from './steps.contract.ts';
import type { ContractTest } from './subject.contract.ts';

export function reading(test: ContractTest): void {
  describe('reading a stream', () => {
    test('finds nothing where no stream is', async (store) => {
      expect(await read(store, newStream())).toEqual([]);
      expect(await read(store, newStream(), { direction: 'backward' })).toEqual([]);
    });

    test('gives back exactly what was written', async (store) => {
      const stream = newStream();
      const awkward = { text: 'ä€😀\u0000\u2028\n"\\', lone: '\ud800', number: 1e21, deep: [{ a: null }, []] };
      const written = { ...event(stream, 0), version: 3, data: awkward };
      await store.append(stream, 'no stream', [written]);
      expect(await read(store, stream)).toEqual([{ ...written, stream, revision: 0 }]);
    });

    test('goes forward and backward from any place', async (store) => {
      const stream = await begun(store, 7);
      const revisions = async (options: ReadOptions) => (await read(store, stream, options)).map(({ revision }) => revision);
      expect(await revisions({})).toEqual([0, 1, 2, 3, 4, 5, 6]);
      expect(await revisions({ from: 4 })).toEqual([4, 5, 6]);
      expect(await revisions({ from: 2, limit: 2 })).toEqual([2, 3]);
      expect(await revisions({ from: 7 })).toEqual([]);
      expect(await revisions({ direction: 'backward' })).toEqual([6, 5, 4, 3, 2, 1, 0]);
      expect(await revisions({ direction: 'backward', limit: 1 })).toEqual([6]);
      expect(await revisions({ direction: 'backward', from: 3, limit: 2 })).toEqual([3, 2]);
      expect(await revisions({ direction: 'backward', from: 0 })).toEqual([0]);
      expect(await revisions({ direction: 'backward', from: 99, limit: 1 })).toEqual([6]);
    });

    test('reads a stream of many pages whole', async (store) => {
      const stream = await begun(store, 1_300);
      const all = (options: ReadOptions) => read(store, stream, options);
      expect((await all({})).map(({ revision }) => revision)).toEqual(Array.from({ length: 1_300 }, (_, revision) => revision));
      expect((await all({ direction: 'backward' })).map(({ revision }) => revision).at(-1)).toBe(0);
      expect(await all({ from: 100, limit: 1_001 })).toHaveLength(1_001);
    });

    test('may be left in the middle', async (store) => {
      const stream = await begun(store, 3);
      for await (const { revision } of store.readStream(stream)) if (revision === 1) break;
      expect(await idsOf(store, stream)).toHaveLength(3);
    });
  });
}

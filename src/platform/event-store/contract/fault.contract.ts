import { describe, expect } from '@jest/globals';
import { thorough } from '../../../../test/support/thorough.ts';
import {
  appendedAt,
  appendOneByOne,
  appendWithRetry,
  type ContractTest,
  event,
  idsOf,
  newStream,
  required,
  streamOf,
  TestSubscription,
} from './support.contract.ts';

export function faultContract(test: ContractTest): void {
  describe('faults', () => {
    test('duplicates nothing when answers are lost and the append is retried', async (store, subject) => {
      const stream = await streamOf(store, 1);
      for (let revision = 1; revision <= 5; revision++) {
        await required(subject.loseNextReply).call(subject);
        expect(await appendWithRetry(store, stream, revision - 1, [event(stream, revision)])).toEqual(appendedAt(revision));
      }
      expect(await idsOf(store, stream)).toEqual([0, 1, 2, 3, 4, 5].map((revision) => event(stream, revision).id));
    });

    test('neither loses nor duplicates an event when connections drop under many writers', async (store, subject) => {
      const streams = Array.from({ length: thorough(16, 8) }, newStream);
      let writing = true;
      const writers = Promise.all(streams.map((stream) => appendOneByOne(store, stream, 30))).finally(() => (writing = false));
      for (let round = 0; round < 10 && writing; round++) {
        await new Promise((resolve) => setTimeout(resolve, 15));
        await required(subject.dropConnections).call(subject);
      }
      await writers;
      for (const stream of streams) expect(await idsOf(store, stream)).toEqual(Array.from({ length: 30 }, (_, r) => event(stream, r).id));
    });

    test('resumes a subscription after its connection dropped, without gap or duplicate', async (store, subject) => {
      const stream = await streamOf(store, 1);
      const subscription = await TestSubscription.atEnd(store);
      for (let revision = 1; revision <= 6; revision++) {
        await required(subject.dropConnections).call(subject);
        await appendWithRetry(store, stream, revision - 1, [event(stream, revision)]);
        await subscription.until(() => subscription.revisionsOf(stream).length === revision);
      }
      expect(subscription.revisionsOf(stream)).toEqual([1, 2, 3, 4, 5, 6]);
      await subscription.stop();
    });
  });
}

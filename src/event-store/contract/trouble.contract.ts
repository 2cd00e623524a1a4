import { describe, expect } from '@jest/globals';
import { Follower } from './follower.contract.ts';
import { appendedAt, begun, event, grow, idsOf, newStream, required, untilAnswered } from './steps.contract.ts';
import type { ContractTest } from './subject.contract.ts';

export function trouble(test: ContractTest): void {
  describe('trouble on the way', () => {
    test('doubles nothing when answers get lost and the append is repeated', async (store, subject) => {
      const stream = await begun(store, 1);
      for (let revision = 1; revision <= 5; revision++) {
        await required(subject.loseNextReply).call(subject);
        expect(await untilAnswered(store, stream, revision - 1, [event(stream, revision)])).toEqual(appendedAt(revision));
      }
      expect(await idsOf(store, stream)).toEqual([0, 1, 2, 3, 4, 5].map((revision) => event(stream, revision).id));
    });

    test('doubles and loses nothing when connections drop under many writers', async (store, subject) => {
      const streams = Array.from({ length: 16 }, newStream);
      let writing = true;
      const writers = Promise.all(streams.map((stream) => grow(store, stream, 30))).finally(() => (writing = false));
      for (let round = 0; round < 10 && writing; round++) {
        await new Promise((resolve) => setTimeout(resolve, 15));
        await required(subject.dropConnections).call(subject);
      }
      await writers;
      for (const stream of streams) expect(await idsOf(store, stream)).toEqual(Array.from({ length: 30 }, (_, r) => event(stream, r).id));
    });

    test('follows on after its connection dropped, without a gap or a repeat', async (store, subject) => {
      const stream = await begun(store, 1);
      const follower = await Follower.atEnd(store);
      for (let revision = 1; revision <= 6; revision++) {
        await required(subject.dropConnections).call(subject);
        await untilAnswered(store, stream, revision - 1, [event(stream, revision)]);
        await follower.until(() => follower.of(stream).length === revision);
      }
      expect(follower.of(stream)).toEqual([1, 2, 3, 4, 5, 6]);
      await follower.stop();
    });
  });
}

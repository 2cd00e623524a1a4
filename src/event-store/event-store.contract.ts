import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appending } from './contract/appending.contract.ts';
import { following } from './contract/following.contract.ts';
import { reading } from './contract/reading.contract.ts';
import { refusing } from './contract/refusing.contract.ts';
import type { ContractSubject, ContractTest } from './contract/subject.contract.ts';
import { trouble } from './contract/trouble.contract.ts';

export interface Skip {
  readonly reason: string;
  readonly tests: readonly string[];
}

/** What everybody may rely on, whichever engine it is. Streams are new in every test, so that it also runs against a server that has others. */
export function eventStoreContract(
  name: string,
  open: () => Promise<ContractSubject>,
  { skip = [] }: { skip?: readonly Skip[] } = {},
): void {
  describe(`the event store on ${name}`, () => {
    let subject: ContractSubject;
    beforeAll(async () => {
      subject = await open();
    }, 30_000);
    afterAll(() => subject.close());

    const test: ContractTest = (title, run) => {
      const reason = skip.find(({ tests }) => tests.includes(title))?.reason;
      if (reason === undefined) it(title, () => run(subject.store, subject), 30_000);
      else it.skip(`${title} (${reason})`, () => undefined);
    };

    for (const part of [appending, refusing, reading, following, trouble]) part(test);

    test('says that it is there', async (store) => {
      await expect(store.ping()).resolves.toBeUndefined();
    });
  });
}

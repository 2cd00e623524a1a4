import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendContract, validationContract } from './contract/append.contract.ts';
import { faultContract } from './contract/fault.contract.ts';
import { followContract, readContract } from './contract/read.contract.ts';
import type { ContractSubject, ContractTest } from './contract/support.contract.ts';

export interface Skip {
  readonly reason: string;
  readonly tests: readonly string[];
}

/** The behaviour that callers may rely on with every engine. Each test uses new streams, so the suite also runs against a server with others. */
export function eventStoreContract(
  name: string,
  open: () => Promise<ContractSubject>,
  { skip = [] }: { skip?: readonly Skip[] } = {},
): void {
  describe(`the event store on ${name}`, () => {
    let subject: ContractSubject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    const test: ContractTest = (title, run) => {
      const reason = skip.find(({ tests }) => tests.includes(title))?.reason;
      if (reason === undefined) it(title, () => run(subject.store, subject));
      else it.skip(`${title} (${reason})`, () => undefined);
    };

    for (const part of [appendContract, validationContract, readContract, followContract, faultContract]) part(test);

    test('answers a ping', async (store) => {
      await expect(store.ping()).resolves.toBeUndefined();
    });
  });
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Claim, type Claims, sweepClaims } from './claims.ts';

export interface ClaimsSubject {
  readonly claims: Claims;
  /** Lets seconds pass. */
  elapse(seconds: number): Promise<void>;
  close(): Promise<void>;
}

const many = <Result>(count: number, one: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));

export function claimsContract(name: string, open: () => Promise<ClaimsSubject>): void {
  describe(`claims in ${name}`, () => {
    let claims: Claims;
    let subject: ClaimsSubject;
    beforeAll(async () => {
      subject = await open();
      claims = subject.claims;
    });
    afterAll(() => subject.close());

    it('give a key to one of fifty concurrent holders, and again to that one', async () => {
      const won = await many(50, (index) => claims.claim('email', 'a@example.com', `account-${String(index)}`));
      expect(won.filter(Boolean)).toHaveLength(1);
      const holder = `account-${String(won.indexOf(true))}`;
      expect(await claims.holderOf('email', 'a@example.com')).toBe(holder);
      expect(await claims.claim('email', 'a@example.com', holder)).toBe(true);
      expect(await claims.claim('name', 'a@example.com', 'another holder')).toBe(true);
      expect(await claims.holderOf('email', 'b@example.com')).toBeNull();
    });

    it('give a released key to the next holder, and only its holder may release it', async () => {
      await claims.claim('email', 'c@example.com', 'first');
      await claims.release('email', 'c@example.com', 'second');
      expect(await claims.claim('email', 'c@example.com', 'second')).toBe(false);
      await claims.release('email', 'c@example.com', 'first');
      expect(await claims.claim('email', 'c@example.com', 'second')).toBe(true);
    });

    it('give out exactly as many slots as there are to concurrent holders', async () => {
      const places = await many(50, (index) => claims.claimSlot('project', '7', 10, `project-${String(index)}`));
      const given = places.filter((place) => place !== null);
      expect(given).toHaveLength(10);
      expect(new Set(given)).toEqual(new Set(Array.from({ length: 10 }, (_, index) => `7/${String(index + 1)}`)));
      expect(await claims.claimSlot('project', '8', 10, 'project-x')).toBe('8/1');
    });

    it('give the same slot to the same holder, and a freed one to the next', async () => {
      const [first, again] = await many(2, () => claims.claimSlot('project', '9', 3, 'project-a'));
      expect(first).toBe('9/1');
      expect(again).toBe('9/1');
      await claims.claimSlot('project', '9', 3, 'project-b');
      await claims.claimSlot('project', '9', 3, 'project-c');
      expect(await claims.claimSlot('project', '9', 3, 'project-d')).toBeNull();
      expect(await claims.claimSlot('project', '9', 3, 'project-b')).toBe('9/2');
      expect([await claims.slotsTaken('project', '9'), await claims.slotsTaken('job', '9')]).toEqual([3, 0]);
      await claims.releaseAll('project', 'project-b');
      expect(await claims.claimSlot('project', '9', 3, 'project-d')).toBe('9/4');
      expect(await claims.claimSlot('project', '9', 2, 'project-e')).toBeNull();
      expect(await claims.claimSlot('project', '9', 3, 'project-e')).toBeNull();
    });

    it('count the slots above a bound that was lowered', async () => {
      const holders = ['a', 'b', 'c', 'd'];
      for (const holder of holders) await claims.claimSlot('lowered', 'payer', null, holder);
      await claims.releaseAll('lowered', 'b');
      expect(await claims.claimSlot('lowered', 'payer', 3, 'e')).toBeNull();
      await claims.releaseAll('lowered', 'd');
      expect(await claims.claimSlot('lowered', 'payer', 3, 'e')).not.toBeNull();
    });

    it('give unlimited slots', async () => {
      const places = await many(50, (index) => claims.claimSlot('project', 'payer', null, `p-${String(index)}`));
      expect(new Set(places)).toEqual(new Set(Array.from({ length: 50 }, (_, index) => `payer/${String(index + 1)}`)));
    });

    it('count from 1, unique per holder', async () => {
      const numbers = await many(50, (index) => claims.claimNext('user', `command-${String(index)}`));
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
      expect(await claims.claimNext('user', 'command-17')).toBe(numbers[17]);
      expect(await claims.claimNext('other', 'command-17')).toBe(1);
    });

    it('are swept when they were not kept: fenced ones are freed, won ones kept', async () => {
      for (const holder of ['kept', 'fenced', 'won', 'late']) await claims.claim('swept', holder, holder, 1);
      expect(await claims.keep('swept', 'kept', 'kept')).toBe(true);
      expect(await claims.keep('swept', 'kept', 'another')).toBe(false);
      expect(await claims.expired(100)).toEqual([]);
      await subject.elapse(1.2);
      const asked: Claim[] = [];
      const fence = async (claim: Claim): Promise<'fenced' | 'holder won'> => {
        asked.push(claim);
        // The holder resumes between the sweeper's query and its verdict.
        if (claim.holder === 'late') await claims.claim('swept', 'late', 'late');
        return claim.holder === 'won' ? 'holder won' : 'fenced';
      };
      expect(await sweepClaims(claims, fence)).toBe(3);
      expect(asked.map(({ holder }) => holder).toSorted()).toEqual(['fenced', 'late', 'won']);
      const holders = await Promise.all(['kept', 'fenced', 'won', 'late'].map((key) => claims.holderOf('swept', key)));
      expect(holders).toEqual(['kept', null, 'won', 'late']);
      await subject.elapse(1.2);
      expect(await claims.expired(100)).toEqual([]);
    });

    it('are swept although one of them cannot be settled, which is reported', async () => {
      for (const holder of ['one', 'odd', 'two']) await claims.claim('odd', holder, holder, 1);
      await subject.elapse(1.2);
      const fence = ({ holder }: Claim): Promise<'fenced'> =>
        holder === 'odd' ? Promise.reject(new Error('its stream cannot be read')) : Promise.resolve('fenced');
      await expect(sweepClaims(claims, fence)).rejects.toMatchObject({ errors: [new Error('its stream cannot be read')] });
      expect((await claims.expired(100)).map(({ holder }) => holder)).toEqual(['odd']);
    });
  });
}

import { expect, it } from '@jest/globals';
import type { AccountRow } from '../account.view.ts';
import type { AccountChanges } from '../tokens/account-changes.ts';
import type { KnownToken, TokenStore } from '../tokens/token-store.ts';
import type { ViewsAt } from '../../platform/read-models/views/views.ts';
import type { ProjectDirectory } from '../rights/project-directory.ts';
import { Principals } from './principals.ts';

it('keeps nothing for a token that was asked for in the name of another account', async () => {
  const token: KnownToken = { userId: 7, kind: 'login', projectId: null, confirmedAt: null, secondFactor: null, isSession: false };
  const account = { personalTokens: [], secondFactors: [], confirmed: true, plan: 'free', systemRole: null };
  // Casts: of each part the methods that a lookup calls.
  const principals = new Principals(
    { use: () => Promise.resolve(token) } as unknown as TokenStore,
    { now: () => ({ get: () => Promise.resolve(account as unknown as AccountRow) }) } as unknown as ViewsAt,
    { isSettled: () => true } as unknown as AccountChanges,
    { open: () => Promise.resolve(null) },
    {} as ProjectDirectory,
  );
  expect(await principals.load('t', 8)).toBeNull();
  expect(await principals.load('t', 7)).toMatchObject({ userId: 7, tokenId: 't', kind: 'user' });
});

import { expect, it } from '@jest/globals';
import { accountTarget } from '../account.state.ts';
import { openAccount } from '../account.decider.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { OfferLink, OfferLinkHandler } from './password.commands.ts';

const sealed = { subject: 'account-7', sealed: '' };
const wanted = { userId: 7, email: sealed, name: sealed, apiKey: sealed, plan: 'basic', systemRole: null, by: 'registration' } as const;
const ends = new Date('2026-01-02T00:00:00.000Z');

/** What the history says of an offered link. */
async function recorded(purpose: 'confirm' | 'password' | 'sign-in', confirmed: boolean): Promise<readonly unknown[]> {
  const store = new MemoryEventStore();
  const runner = new CommandRunner(store);
  const context = () => systemContext({ kind: 'user', id: '7' }, 0);
  await runner.run(accountTarget(7), context(), (state) => openAccount(state, { ...wanted, confirmed }));
  const links = { create: (...given: unknown[]) => Promise.resolve(given.join(' ')) } as unknown as ConstructorParameters<
    typeof OfferLinkHandler
  >[1];
  const offered = await new OfferLinkHandler(runner, links).execute(new OfferLink(context(), { userId: 7, purpose, expiresAt: ends }));
  expect(offered).toEqual({ token: `7 ${purpose} ${String(ends)}`, purpose, expiresAt: ends });
  return store.events.slice(1).map(({ type, data }) => ({ type, ...data }));
}

it('a link is in the history for what it does: one that sets a password also confirms an unconfirmed account', async () => {
  const expiresAt = ends.toISOString();
  const [confirmation, reset] = [
    { type: 'ConfirmationOffered', expiresAt },
    { type: 'PasswordResetOffered', expiresAt },
  ];
  expect(await recorded('password', true)).toEqual([reset]);
  expect(await recorded('password', false)).toEqual([confirmation, reset]);
  expect(await recorded('sign-in', true)).toEqual([{ ...reset, signsIn: true }]);
  expect(await recorded('confirm', false)).toEqual([confirmation]);
  expect(await recorded('confirm', true)).toEqual([]);
});
it('a link is in the history also where the very command that offers it opened the account, and once', async () => {
  const store = new MemoryEventStore();
  const runner = new CommandRunner(store);
  const links = { create: () => Promise.resolve('') } as unknown as ConstructorParameters<typeof OfferLinkHandler>[1];
  // As of a request with an `Idempotency-Key` that sends an invitation, and of its repeat.
  const context = systemContext({ kind: 'user', id: '1' }, 0, { commandId: '6f1a0f2e-6a55-4a3b-9d0c-0f5c7c7f3a11', repeat: true });
  for (let time = 0; time < 2; time++) {
    await runner.run(accountTarget(7), context, (state) => openAccount(state, { ...wanted, confirmed: false }));
    await new OfferLinkHandler(runner, links).execute(new OfferLink(context, { userId: 7, purpose: 'password', expiresAt: ends }));
  }
  expect(store.events.map(({ type }) => type)).toEqual(['AccountOpened', 'ConfirmationOffered', 'PasswordResetOffered']);
});

import { expect, it } from '@jest/globals';
import { accountTarget } from '../../domain/account/account.ts';
import { open } from '../../domain/account/decisions.ts';
import { MemoryEventStore } from '../../event-store/memory/memory-event-store.ts';
import { ownContext } from '../context.ts';
import { Handling } from '../handle.ts';
import { OfferLink, OfferLinkHandler } from './offer-link.command.ts';

const sealed = { subject: 'account-7', sealed: '' };
const wanted = { userId: 7, email: sealed, name: sealed, apiKey: sealed, plan: 'basic', systemRole: null, by: 'registration' } as const;
const ends = new Date('2026-01-02T00:00:00.000Z');

/** What the history says of a link that is offered to somebody. */
async function told(purpose: 'confirm' | 'password', confirmed: boolean): Promise<readonly unknown[]> {
  const store = new MemoryEventStore();
  const handling = new Handling(store, { check: () => undefined });
  const context = () => ownContext({ kind: 'user', id: '7' }, 0);
  await handling.change(accountTarget(7), context(), (state) => open(state, { ...wanted, confirmed }));
  const links = { make: (...given: unknown[]) => Promise.resolve(given.join(' ')) } as unknown as ConstructorParameters<
    typeof OfferLinkHandler
  >[1];
  const offered = await new OfferLinkHandler(handling, links).execute(new OfferLink(context(), 7, purpose, ends));
  expect(offered).toEqual({ token: `7 ${purpose} ${String(ends)}`, purpose, expiresAt: ends });
  return store.events.slice(1).map(({ type, data }) => ({ type, ...data }));
}

it('a link is in the history for what it does: one that sets a password also confirms whom nobody has confirmed', async () => {
  const expiresAt = ends.toISOString();
  const [confirmation, reset] = [
    { type: 'ConfirmationOffered', expiresAt },
    { type: 'PasswordResetOffered', expiresAt },
  ];
  expect(await told('password', true)).toEqual([reset]);
  expect(await told('password', false)).toEqual([confirmation, reset]);
  expect(await told('confirm', false)).toEqual([confirmation]);
  expect(await told('confirm', true)).toEqual([]);
});

import { describe, expect, it } from '@jest/globals';
import type { AccountRow } from '../../accounts/account.view.ts';
import { InvitationMail } from './invitation-mail.ts';

/** The recipient of the mail that was stored when `offer` answered. */
async function recipientOf(account: Partial<AccountRow> | null): Promise<readonly string[]> {
  const stored: string[] = [];
  const store = async (email: string): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    stored.push(email);
  };
  const sender = () => Promise.resolve({ name: null, email: 'owner@example.test' });
  const open = () => Promise.resolve('receiver@example.test');
  const views = { now: () => ({ get: () => Promise.resolve(account) }) };
  const mail = new InvitationMail({ invite: store } as never, { sender } as never, views as never, { open } as never);
  await mail.offer({ to: 12, by: 1, token: 't', expiresAt: new Date(0) });
  return stored;
}

describe('the mail of an offered transfer', () => {
  it('is stored before the answer', async () => {
    expect(await recipientOf({ confirmed: true })).toEqual(['receiver@example.test']);
  });

  it('has no recipient where the account is not confirmed or does not exist, and is stored all the same', async () => {
    expect(await recipientOf({ confirmed: false })).toEqual(['user-12@invalid']);
    expect(await recipientOf(null)).toEqual(['user-12@invalid']);
  });
});

import { DomainError } from '../../kernel/errors.ts';
import { same } from '../../kernel/change.ts';
import type { AccountEvents } from '../account.events.ts';
import type { Account, AccountEvent, ActiveAccount, Identity } from '../account.state.ts';
import { requireConfirmedAccount, requireOpenAccount } from '../account.decider.ts';
import type { SystemRole } from '../account.settings.ts';

export class IdentityNotFound extends DomainError {
  readonly code = 'IDENTITY_NOT_FOUND';

  constructor() {
    super('The identity was not found.');
  }
}

/** Addresses are given away again: the successor of a person is another subject with the same address, and not the owner of the account. */
export class OtherIdentityLinked extends DomainError {
  readonly code = 'OTHER_IDENTITY_LINKED';

  constructor() {
    super(
      'The account with this address belongs to another person of the sign-in provider. Its owner can remove that link, or an operator the account.',
    );
  }
}

export const isLinked = ({ identities }: ActiveAccount, wanted: Identity): boolean =>
  [...identities.values()].some(({ issuer, subject }) => issuer === wanted.issuer && same(subject, wanted.subject));

/** Refuses an unconfirmed account: the address may have been registered by another person. */
export function linkIdentity(state: Account, wanted: AccountEvents['IdentityLinked']): readonly AccountEvent[] {
  const account = requireConfirmedAccount(state);
  if (isLinked(account, wanted)) return [];
  if ([...account.identities.values()].some(({ issuer }) => issuer === wanted.issuer)) throw new OtherIdentityLinked();
  return [{ type: 'IdentityLinked', data: wanted }];
}

/** A mapped role goes with the link: no sign-in would evaluate it again. */
export function unlinkIdentity(state: Account, identityId: string): readonly AccountEvent[] {
  const account = requireOpenAccount(state);
  if (!account.identities.has(identityId)) throw new IdentityNotFound();
  return [{ type: 'IdentityUnlinked', data: { identityId } }, ...mapRole(state, null)];
}

/** A role granted by hand is not touched. */
export function mapRole(state: Account, to: SystemRole | null): readonly AccountEvent[] {
  const { systemRole: from, roleIsMapped } = requireOpenAccount(state);
  if (from === to || (from !== null && !roleIsMapped)) return [];
  return [{ type: 'SystemRoleChanged', data: { from, to, by: 'provider' } }];
}

import type pg from 'pg';
import type { Claims } from '../../persistence/claims.ts';
import { EmailDirectory } from '../../security/email-directory.ts';
import { Erasures } from '../../security/erasures.ts';
import type { Keyring } from '../../security/keyring/keyring.ts';
import type { Secrets } from '../../security/keyring/secrets.ts';
import { PasswordChanges } from '../../security/passwords/password-changes.ts';
import { Passwords } from '../../security/passwords/passwords.ts';
import { AccountChanges } from '../../security/tokens/account-changes.ts';
import { LinkStore } from '../../security/tokens/link-store.ts';
import { TokenStore } from '../../security/tokens/token-store.ts';
import { AdministerAccountHandler } from '../../commands/account/administer-account.command.ts';
import { ChangePasswordHandler } from '../../commands/account/change-password.command.ts';
import { EraseAccountHandler } from '../../commands/account/erase-account.command.ts';
import { OfferLinkHandler } from '../../commands/account/offer-link.command.ts';
import { OpenAccountHandler } from '../../commands/account/open-account.command.ts';
import { SettlePasswordHandler } from '../../commands/account/settle-password.command.ts';
import { Handling } from '../../commands/handle.ts';
import { DismissMember, DismissMemberHandler } from '../../commands/member/dismiss-member.command.ts';
import type { EventStore } from '../../event-store/event-store.ts';
import type { ViewsAt } from '../../projections/views/views.ts';
import { AccountErasure, type ErasureBus } from './account-erasure.ts';

/** What the account commands stand on. */
export interface AccountToolsParts {
  readonly pool: pg.Pool;
  readonly claims: Claims;
  readonly keyring: Keyring;
  readonly secrets: Secrets;
  readonly store: EventStore;
  readonly views: ViewsAt;
}

/** The account commands without the framework: for the command line, the first start, and what a crash left undone. */
export interface AccountTools {
  readonly handling: Handling;
  readonly directory: EmailDirectory;
  readonly passwords: Passwords;
  readonly passwordChanges: PasswordChanges;
  readonly erasures: Erasures;
  readonly erasure: AccountErasure;
  readonly dismissMember: DismissMemberHandler;
  readonly open: OpenAccountHandler;
  readonly changePassword: ChangePasswordHandler;
  readonly settlePassword: SettlePasswordHandler;
  readonly offerLink: OfferLinkHandler;
  readonly administer: AdministerAccountHandler;
}

export function accountTools({ pool, claims, keyring, secrets, store, views }: AccountToolsParts): AccountTools {
  // Nobody waits for an answer here: being read a moment later is soon enough.
  const handling = new Handling(store, { check: () => undefined });
  const directory = new EmailDirectory(claims, secrets);
  const passwords = new Passwords(pool);
  const passwordChanges = new PasswordChanges(pool);
  const tokens = new TokenStore(pool);
  const links = new LinkStore(pool);
  const changes = new AccountChanges();
  const erasures = new Erasures(pool);
  const dismissMember = new DismissMemberHandler(handling, claims);
  const eraseAccount = new EraseAccountHandler(handling, claims, keyring, passwords, passwordChanges, tokens, links, changes);
  const settlePassword = new SettlePasswordHandler(handling, passwordChanges, changes);
  const bus: ErasureBus = {
    execute: (command) => (command instanceof DismissMember ? dismissMember.execute(command) : eraseAccount.execute(command)),
  };
  return {
    handling,
    directory,
    passwords,
    passwordChanges,
    erasures,
    erasure: new AccountErasure(bus, views, erasures),
    dismissMember,
    open: new OpenAccountHandler(handling, claims, keyring, directory, passwords),
    changePassword: new ChangePasswordHandler(handling, passwordChanges, settlePassword),
    settlePassword,
    offerLink: new OfferLinkHandler(handling, links),
    administer: new AdministerAccountHandler(handling, changes),
  };
}

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
import { AdministerAccountHandler, EraseAccountHandler, OpenAccountHandler } from '../../commands/account.commands.ts';
import { ChangePasswordHandler, OfferLinkHandler, SettlePasswordHandler } from '../../commands/password.commands.ts';
import type { CommandRunner } from '../../commands/command-runner.ts';
import { DismissMember, DismissMemberHandler } from '../../commands/member.commands.ts';
import type { ViewsAt } from '../../projections/views/views.ts';
import { AccountErasure, type ErasureBus } from './account-erasure.ts';

/** What the account commands stand on. */
export interface AccountToolsParts {
  readonly pool: pg.Pool;
  readonly claims: Claims;
  readonly keyring: Keyring;
  readonly secrets: Secrets;
  readonly runner: CommandRunner;
  readonly views: ViewsAt;
}

/** The account commands without the framework: for the command line, the first start, and what a crash left undone. */
export interface AccountTools {
  readonly runner: CommandRunner;
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

export function accountTools({ pool, claims, keyring, secrets, runner, views }: AccountToolsParts): AccountTools {
  const directory = new EmailDirectory(claims, secrets);
  const passwords = new Passwords(pool);
  const passwordChanges = new PasswordChanges(pool);
  const tokens = new TokenStore(pool);
  const links = new LinkStore(pool);
  const changes = new AccountChanges();
  const erasures = new Erasures(pool);
  const dismissMember = new DismissMemberHandler(runner, claims);
  const eraseAccount = new EraseAccountHandler(runner, claims, keyring, passwords, passwordChanges, tokens, links, changes);
  const settlePassword = new SettlePasswordHandler(runner, passwordChanges, changes);
  const bus: ErasureBus = {
    execute: (command) => (command instanceof DismissMember ? dismissMember.execute(command) : eraseAccount.execute(command)),
  };
  return {
    runner,
    directory,
    passwords,
    passwordChanges,
    erasures,
    erasure: new AccountErasure(bus, views, erasures),
    dismissMember,
    open: new OpenAccountHandler(runner, claims, keyring, directory, passwords),
    changePassword: new ChangePasswordHandler(runner, passwordChanges, settlePassword),
    settlePassword,
    offerLink: new OfferLinkHandler(runner, links),
    administer: new AdministerAccountHandler(runner, changes),
  };
}

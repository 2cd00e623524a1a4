import type { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import type { CommandRunner } from '../platform/commands/command-runner.ts';
import type { Claims } from '../platform/postgres/claims.ts';
import type { ViewsAt } from '../platform/read-models/views/views.ts';
import type { MailOutbox } from '../platform/mail/mail-outbox.ts';
import { ErasureNotice } from '../alerts/notices/erasure-notice.ts';
import type { Keyring } from '../platform/security/keyring/keyring.ts';
import { EmailDirectory } from '../accounts/email-directory.ts';
import { Erasures } from '../platform/security/erasures.ts';
import type { Secrets } from '../platform/security/keyring/secrets.ts';
import { IdentityDirectory } from '../accounts/identities/identity-directory.ts';
import { PasswordChanges } from '../accounts/passwords/password-changes.ts';
import { PostgresInvitations } from '../accounts/tokens/postgres-invitations.ts';
import { Passwords } from '../accounts/passwords/passwords.ts';
import { AccountErasure } from '../accounts/erasure/account-erasure.ts';

export interface AccountToolsParts {
  readonly pool: pg.Pool;
  readonly claims: Claims;
  readonly secrets: Secrets;
  readonly runner: CommandRunner;
  readonly commands: CommandBus;
  readonly views: ViewsAt;
  readonly keyring: Keyring;
  readonly mails: MailOutbox;
}

/** What the command line, the first start and the clean-up after a crash need to work on accounts. */
export interface AccountTools {
  readonly runner: CommandRunner;
  readonly commands: CommandBus;
  readonly keyring: Keyring;
  readonly directory: EmailDirectory;
  readonly identities: IdentityDirectory;
  readonly passwords: Passwords;
  readonly passwordChanges: PasswordChanges;
  readonly erasures: Erasures;
  readonly erasure: AccountErasure;
}

export function accountTools({ pool, claims, secrets, runner, commands, views, keyring, mails }: AccountToolsParts): AccountTools {
  const erasures = new Erasures(pool);
  return {
    runner,
    commands,
    keyring,
    directory: new EmailDirectory(claims, secrets),
    identities: new IdentityDirectory(claims, secrets),
    passwords: new Passwords(pool),
    passwordChanges: new PasswordChanges(pool),
    erasures,
    erasure: new AccountErasure(commands, views, erasures, new PostgresInvitations(pool), new ErasureNotice(views, keyring, mails)),
  };
}

import type { AddressedChannel } from '../account.events.ts';
import type { FactorKind } from '../account.settings.ts';
import type { Sealed } from '../../kernel/event.ts';
import { unlinked } from '../../platform/mail/html.ts';
import { derivedId } from '../../kernel/ids.ts';
import type pg from 'pg';

/** A security notice: something happened to an account that its owner has to hear of. Personal values are sealed. */
export type Notice = { readonly at: string } & (
  | { readonly about: 'token created'; readonly name: Sealed | null; readonly expiresAt: string }
  | { readonly about: 'new network'; readonly address: Sealed | null }
  | { readonly about: 'password changed'; readonly by: 'owner' | 'link' | 'administrator' }
  | { readonly about: 'channel set' | 'channel removed'; readonly channel: AddressedChannel | 'email' }
  | { readonly about: 'notification address'; readonly to: Sealed | null }
  | { readonly about: 'identity linked'; readonly issuer: string }
  | { readonly about: 'identity unlinked' }
  | { readonly about: 'project given' | 'project received'; readonly projectId: string }
  | { readonly about: 'guesses' | 'code guesses'; readonly failed: number }
  | { readonly about: 'factor added'; readonly kind: FactorKind; readonly name: Sealed }
  | { readonly about: 'factor removed'; readonly kind: FactorKind; readonly by: 'owner' | 'administrator'; readonly reason: Sealed | null }
  | { readonly about: 'recovery codes' }
  | { readonly about: 'recovery code used'; readonly left: number }
  | { readonly about: 'passkey refused' }
);

/** What a notice names, opened for the moment of sending; null: it cannot be read any more. */
export interface NoticeNames {
  readonly open: (sealed: Sealed) => Promise<string | null>;
  readonly titleOf: (projectId: string) => Promise<string | null>;
}

const FOOT =
  'If this was not you: change your password, which ends every session and token of the account (POST /api/account/password, or the link of a password reset).';

const timeOf = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`;

/** A sentence; names are untrusted. */
export async function sentenceOf(notice: Notice, { open, titleOf }: NoticeNames): Promise<string> {
  const opened = async (sealed: Sealed | null): Promise<string> => unlinked((sealed === null ? null : await open(sealed)) ?? 'unknown');
  const title = async (projectId: string): Promise<string> => unlinked((await titleOf(projectId)) ?? projectId);
  switch (notice.about) {
    case 'token created':
      return `A personal access token "${await opened(notice.name)}" was created; it is valid until ${timeOf(notice.expiresAt)}.`;
    case 'new network':
      return `The account was signed in to from a new network, by the address ${await opened(notice.address)}.`;
    case 'password changed':
      return `The password was changed${BY[notice.by]}.`;
    case 'channel set':
      return `The notification channel ${notice.channel} was set.`;
    case 'channel removed':
      return `The notification channel ${notice.channel} was removed.`;
    case 'notification address':
      return notice.to === null
        ? 'The notification address was removed.'
        : `The notification address was changed to ${await opened(notice.to)}.`;
    case 'identity linked':
      return `The account was linked to a person of the sign-in provider ${unlinked(notice.issuer)}, who signs in to it from now on.`;
    case 'identity unlinked':
      return 'The link of the account to a person of a sign-in provider was removed.';
    case 'project given':
      return `The project "${await title(notice.projectId)}" was transferred to another account.`;
    case 'project received':
      return `The project "${await title(notice.projectId)}" was transferred to this account.`;
    case 'guesses':
      return `${String(notice.failed)} failed sign-ins in a row came from networks that this account does not use. Sign-ins from other than its known networks pause for a growing time.`;
    case 'code guesses':
      return `${String(notice.failed)} wrong one-time codes in a row were sent with the right password. Codes of authenticator apps pause for a growing time; passkeys and recovery codes do not. Change your password.`;
    case 'factor added':
      return `A second factor was added: ${FACTORS[notice.kind]} "${await opened(notice.name)}".`;
    case 'factor removed':
      return `A second factor was removed${notice.by === 'owner' ? '' : ` by an administrator (${await opened(notice.reason)})`}: ${notice.kind === 'totp' ? 'an authenticator app' : 'a passkey'}.`;
    case 'recovery codes':
      return 'New recovery codes were generated; earlier ones are void.';
    case 'recovery code used':
      return `A recovery code was used to sign in or to confirm who you are; ${String(notice.left)} are left.`;
    case 'passkey refused':
      return 'A passkey was refused because its signature counter did not grow: a copy of it may exist. Remove that passkey if you cannot explain this.';
  }
}

const BY = { owner: '', link: ' through a mailed link', administrator: ' by an administrator' } as const;

const FACTORS = { totp: 'the authenticator app', passkey: 'the passkey' } as const;

export async function composeNotices(
  notices: readonly Notice[],
  names: NoticeNames,
): Promise<{ readonly subject: string; readonly text: string }> {
  const lines = await Promise.all(notices.map(async (notice) => `${timeOf(notice.at)}: ${await sentenceOf(notice, names)}`));
  const [only] = notices.length === 1 ? notices : [];
  return {
    subject: `Watchledger: ${only === undefined ? 'changes to your account' : SUBJECTS[only.about]}`,
    text: `${lines.join('\n')}\n\n${FOOT}\n`,
  };
}

const SUBJECTS: Readonly<Record<Notice['about'], string>> = {
  'token created': 'a new access token',
  'new network': 'a sign-in from a new network',
  'password changed': 'your password was changed',
  'channel set': 'a notification channel was set',
  'channel removed': 'a notification channel was removed',
  'notification address': 'your notification address was changed',
  'identity linked': 'your account was linked to a sign-in provider',
  'identity unlinked': 'your account was unlinked from a sign-in provider',
  'project given': 'a project was transferred',
  'project received': 'you own another project',
  guesses: 'many failed sign-ins',
  'code guesses': 'many wrong codes',
  'factor added': 'a second factor was added',
  'factor removed': 'a second factor was removed',
  'recovery codes': 'new recovery codes',
  'recovery code used': 'a recovery code was used',
  'passkey refused': 'a passkey was refused',
};

/** What a notice follows from: an event, or a measurement with an id of its own. */
export interface NoticeCause {
  readonly id: string;
  readonly n: number;
  readonly correlationId: string;
}

const INSERT = `
  INSERT INTO notification_intent (id, cause_id, cause_n, correlation_id, episode, project_id, user_id, channel, kind, facts, due_at, made_at)
  VALUES ($1, $2, $3, $4, $2, '', $5, 'email', 'notice', $6, $7, $7)
  ON CONFLICT (cause_id, episode, user_id, channel) DO NOTHING`;

/** Writes security notices into the transactional outbox; idempotent per cause and account. */
export async function addNotice(
  db: Pick<pg.ClientBase, 'query'>,
  cause: NoticeCause,
  userId: number,
  notice: Notice,
  now: number,
): Promise<void> {
  const id = derivedId('notice', cause.id, userId);
  await db.query(INSERT, [id, cause.id, cause.n, cause.correlationId, userId, JSON.stringify(notice), new Date(now)]);
}

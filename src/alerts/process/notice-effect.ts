import { type LogEventOf, upcast } from '../../events.ts';
import { projectIdOf, userIdOf } from '../../kernel/stream-names.ts';
import type { Notice } from '../../accounts/notices/notice.ts';
import type { LogEvent } from '../../kernel/event.ts';

/** The accounts that have to hear of an event, each with its own words (docs/spec/decisions.md#A11). */
export type Notices = readonly { readonly userId: number; readonly notice: Notice }[];

type NoticedType =
  | 'TokenIssued'
  | 'PasswordChanged'
  | 'ChannelSet'
  | 'ChannelRemoved'
  | 'NotificationEmailChanged'
  | 'SecondFactorConfirmed'
  | 'SecondFactorRemoved'
  | 'RecoveryCodesGenerated'
  | 'RecoveryCodeUsed'
  | 'PasskeyCounterRegressed'
  | 'IdentityLinked'
  | 'IdentityUnlinked'
  | 'ProjectTransferred';

type Handlers = { readonly [Type in NoticedType]: (event: LogEventOf<Type>, at: string) => Notices };

const ofOwner = ({ scope }: LogEvent, notice: Notice): Notices => [{ userId: userIdOf(scope), notice }];

const handlers: Handlers = {
  TokenIssued: (event, at) => {
    const { kind, name, expiresAt, address = null, newNetwork } = event.data;
    if (kind === 'personal') return ofOwner(event, { at, about: 'token created', name, expiresAt });
    return newNetwork === true ? ofOwner(event, { at, about: 'new network', address }) : [];
  },
  PasswordChanged: (event, at) => ofOwner(event, { at, about: 'password changed', by: event.data.by }),
  ChannelSet: (event, at) => ofOwner(event, { at, about: 'channel set', channel: event.data.channel }),
  ChannelRemoved: (event, at) => ofOwner(event, { at, about: 'channel removed', channel: event.data.channel }),
  NotificationEmailChanged: (event, at) => ofOwner(event, { at, about: 'notification address', to: event.data.to }),
  SecondFactorConfirmed: (event, at) => ofOwner(event, { at, about: 'factor added', kind: event.data.kind, name: event.data.name }),
  SecondFactorRemoved: (event, at) => {
    const { kind, by, reason = null } = event.data;
    return ofOwner(event, { at, about: 'factor removed', kind, by, reason });
  },
  RecoveryCodesGenerated: (event, at) => ofOwner(event, { at, about: 'recovery codes' }),
  RecoveryCodeUsed: (event, at) => ofOwner(event, { at, about: 'recovery code used', left: event.data.left }),
  PasskeyCounterRegressed: (event, at) => ofOwner(event, { at, about: 'passkey refused' }),
  IdentityLinked: (event, at) => ofOwner(event, { at, about: 'identity linked', issuer: event.data.issuer }),
  IdentityUnlinked: (event, at) => ofOwner(event, { at, about: 'identity unlinked' }),
  ProjectTransferred: ({ scope, data: { from, to } }, at) => {
    const projectId = projectIdOf(scope);
    return [
      { userId: from, notice: { at, about: 'project given', projectId } },
      { userId: to, notice: { at, about: 'project received', projectId } },
    ];
  },
};

/** Throws when the event cannot be upcast. */
export function noticesIn(event: LogEvent): Notices {
  if (!Object.hasOwn(handlers, event.type)) return [];
  // The table's key and the event's type agree; the compiler cannot follow that through the lookup.
  const handler = handlers[event.type as NoticedType] as (event: LogEvent, at: string) => Notices;
  return handler(upcast(event), event.meta.occurredAt);
}

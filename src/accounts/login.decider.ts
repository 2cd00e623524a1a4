import type { Decider } from '../kernel/decider.ts';
import type { EventBody, Sealed } from '../kernel/event.ts';
import type { AccountEvents } from './account.events.ts';
import type { SignInFactor } from './account.settings.ts';
import { accountStream, loginStream } from '../kernel/stream-names.ts';

type LoginEvent = EventBody<'TokenIssued', AccountEvents['TokenIssued']> | EventBody<'TokenRevoked', AccountEvents['TokenRevoked']>;

/** A login is a stream of its own: a program that signs in every minute must not make its account slow to load. */
export type Login = 'none' | 'signed in' | 'signed out';

export const login: Decider<Login, LoginEvent> = {
  initial: 'none',
  evolve: (_, { type }) => (type === 'TokenRevoked' ? 'signed out' : 'signed in'),
};

export const loginTarget = (userId: number, tokenId: string) => ({
  stream: loginStream(tokenId),
  scope: accountStream(userId),
  decider: login,
});

export interface NewLogin {
  readonly tokenId: string;
  readonly expiresAt: string;
  /** The address that signed in. */
  readonly address: Sealed;
  /** The account had signed in before, and never from this network. */
  readonly newNetwork: boolean;
  /** Undefined: the password alone. */
  readonly secondFactor?: SignInFactor | undefined;
  /** By a one-time link. */
  readonly byLink?: boolean | undefined;
}

export function recordLogin(state: Login, { secondFactor, byLink = false, ...given }: NewLogin): readonly LoginEvent[] {
  if (state !== 'none') return [];
  const shown = { ...(secondFactor === undefined ? {} : { secondFactor }), ...(byLink && { byLink }) };
  const data = { kind: 'login', name: null, ...given, ...shown } as const;
  return [{ type: 'TokenIssued', data }];
}

/** Nothing is to be ended yet for a sign-in that has not been recorded. */
export function endLogin(state: Login, tokenId: string): readonly LoginEvent[] {
  return state === 'signed in' ? [{ type: 'TokenRevoked', data: { tokenId } }] : [];
}

import type { Decider } from '../../kernel/decider.ts';
import type { EventBody } from '../../kernel/event.ts';
import type { AccountEvents } from './account.events.ts';
import { accountStream, loginStream } from '../stream-names.ts';

type LoginEvent = EventBody<'TokenIssued', AccountEvents['TokenIssued']>;

/** A login is a stream of its own: a program that signs in every minute must not make its account slow to load. */
export type Login = 'none' | 'signed in';

export const login: Decider<Login, LoginEvent> = { initial: 'none', evolve: () => 'signed in' };

export const loginTarget = (userId: number, tokenId: string) => ({
  stream: loginStream(tokenId),
  scope: accountStream(userId),
  decider: login,
});

export const recordLogin = (state: Login, tokenId: string, expiresAt: string): readonly LoginEvent[] =>
  state === 'none' ? [{ type: 'TokenIssued', data: { tokenId, kind: 'login', name: null, expiresAt } }] : [];

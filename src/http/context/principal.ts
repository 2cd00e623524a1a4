import type { Actor } from '../../kernel/event.ts';

/** Who holds the token of a request, as of at most a second ago. */
export interface Principal {
  readonly userId: number;
  readonly tokenId: string;
  /** A login token speaks for the person, a personal access token for a program of that person. */
  readonly kind: 'user' | 'token';
  readonly plan: string;
  readonly systemRole: 'admin' | 'auditor' | null;
}

export const actorOf = (principal: Principal): Actor => ({
  kind: principal.kind,
  id: String(principal.userId),
  tokenId: principal.tokenId,
});

/** Whose key seals what is kept for them. */
export const subjectOf = ({ userId }: Principal): string => `account-${String(userId)}`;

import type { Actor } from '../../kernel/event.ts';
import type { TokenScope } from '../../domain/account/token-scopes.ts';
import { accountStream } from '../../domain/stream-names.ts';

/** What a narrowed token is limited to; null: not in this respect. */
export interface PrincipalLimits {
  readonly scopes: ReadonlySet<TokenScope> | null;
  readonly projects: ReadonlySet<string> | null;
  readonly addresses: {
    /** In canonical form. */
    readonly networks: readonly string[];
    readonly include: (address: string) => boolean;
  } | null;
}

/** The authenticated caller, as of at most a second ago. */
export interface Principal {
  readonly userId: number;
  readonly tokenId: string;
  /** A login token speaks for the person, a personal access token for a program of that person. */
  readonly kind: 'user' | 'token';
  /** When the person signed in, or last confirmed who they are, with this token; null: a personal token, which proves nothing about who holds it. */
  readonly signedInAt: number | null;
  /** Whether the address of the account is confirmed. */
  readonly confirmed: boolean;
  /** The account has a second factor, or the session was opened by an identity provider, which asks for its own. */
  readonly hasFactor: boolean;
  readonly plan: string;
  readonly systemRole: 'admin' | 'auditor' | null;
  /** Null: the token may do everything that its account may. */
  readonly limits: PrincipalLimits | null;
}

export const actorOf = (principal: Principal): Actor => ({
  kind: principal.kind,
  id: String(principal.userId),
  tokenId: principal.tokenId,
});

/** The subject whose key seals what is stored for the principal. */
export const subjectOf = ({ userId }: Principal): string => accountStream(userId);

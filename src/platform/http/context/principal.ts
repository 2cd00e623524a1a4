import type { Actor } from '../../../kernel/event.ts';
import { accountStream, ownerScope } from '../../../kernel/stream-names.ts';

/** What a narrowed token is limited to; null in a respect that is not limited. */
export interface PrincipalLimits {
  /** Scopes of `accounts/token-scopes`. */
  readonly scopes: ReadonlySet<string> | null;
  readonly projects: ReadonlySet<string> | null;
  readonly addresses: {
    /** In canonical form. */
    readonly networks: readonly string[];
    readonly include: (address: string) => boolean;
  } | null;
}

/** A program that acts in one project, or for the installation, by the tokens of its service account (docs/spec/beyond.md#B28). */
export interface ServicePrincipal {
  readonly id: string;
  readonly name: string;
  /** Null when it belongs to the installation, and has a system role. */
  readonly projectId: string | null;
  /** In its project, by the ids of `accounts/rights/roles`. */
  readonly role: '4' | '5' | '6' | null;
  /** The owner of the project, whose plan and budgets count; of the installation: itself. */
  readonly payerId: number;
}

/** The authenticated caller, as of at most a second ago. */
export interface Principal {
  /** A service account has a number of its own, which no person has. */
  readonly userId: number;
  readonly tokenId: string;
  /** A login token speaks for the person, a personal access token for a program of that person. */
  readonly kind: 'user' | 'token' | 'service';
  /** Signed in to the console, by its cookie. */
  readonly isSession?: boolean;
  /** Present when the caller is a service account. */
  readonly service?: ServicePrincipal | undefined;
  /** When the person signed in, or last confirmed who they are, with this token; null for a personal token, which proves nothing about who holds it. */
  readonly signedInAt: number | null;
  /** Whether the address of the account is confirmed. */
  readonly confirmed: boolean;
  /** The account has a second factor, or the session was opened by an identity provider, which asks for its own. */
  readonly hasFactor: boolean;
  readonly plan: string;
  readonly systemRole: 'admin' | 'auditor' | null;
  /** When null, the token may do everything that its account may. */
  readonly limits: PrincipalLimits | null;
}

export const actorOf = ({ kind, userId, tokenId, service }: Principal): Actor =>
  service === undefined ? { kind, id: String(userId), tokenId } : { kind, id: service.id, tokenId, name: service.name };

/** The account whose plan and budgets a request counts for. */
export const payerOf = ({ userId, service }: Pick<Principal, 'userId' | 'service'>): number => service?.payerId ?? userId;

/** The subject whose key seals what is stored for the principal. */
export const subjectOf = ({ userId, service }: Principal): string =>
  service === undefined ? accountStream(userId) : ownerScope(service.projectId);

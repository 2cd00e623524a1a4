import type { Sealed } from '../../kernel/event.ts';

/** `member`: to an address, which may have no account yet. `owner`: an offered transfer, to a user id. */
export type InvitationKind = 'member' | 'owner';

export interface StoredInvitation {
  readonly id: string;
  readonly kind: InvitationKind;
  readonly projectId: string;
  /** Sealed with the key of the project; null for an offered transfer. */
  readonly address: Sealed | null;
  /** Null for an invitation, and for an offered transfer to a number that no account has. */
  readonly userId: number | null;
}

export interface AddressedInvitation {
  readonly id: string;
  readonly projectId: string;
  readonly addressHash: string;
  readonly address: Sealed;
}

export interface OfferedOwnership {
  readonly id: string;
  readonly projectId: string;
  readonly userId: number | null;
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * The addressees of pending invitations, beside the log: nothing about them stands in the project's events, and a row goes with its invitation. The
 * project's stream decides what is pending; a row without a pending invitation opens nothing.
 */
export abstract class Invitations {
  /** Answers the id of the project's invitation to the address, which may be an earlier one. The row goes after some minutes unless it is kept. */
  abstract reserve(wanted: AddressedInvitation): Promise<string>;
  /** Sets the token of the newest link; null leaves it as it is. False: the row was deleted meanwhile. */
  abstract keep(id: string, token: string | null, expiresAt: Date): Promise<boolean>;
  abstract offer(wanted: OfferedOwnership): Promise<void>;
  /** Those of the account: to its address, and offered to its number. */
  abstract of(userId: number): Promise<readonly StoredInvitation[]>;
  abstract byToken(token: string): Promise<StoredInvitation | null>;
  abstract ofProject(projectId: string): Promise<readonly StoredInvitation[]>;
  abstract forget(ids: readonly string[]): Promise<void>;
  abstract forgetProject(projectId: string): Promise<void>;
  abstract due(limit: number): Promise<readonly StoredInvitation[]>;
  /** Unless it was kept since. */
  abstract forgetDue(id: string): Promise<void>;
}

/** Longer than the command that keeps it may take. */
export const RESERVED_SECONDS = 600;

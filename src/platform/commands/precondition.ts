import { DomainError } from '../../kernel/errors.ts';

/** `If-Match` of a request: one of these tags has to be that of the present settings. */
export interface Precondition {
  readonly tags: readonly string[];
}

/** A change of the settings after the caller had read them. */
export interface UnreadChange {
  readonly id: string;
  readonly type: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string | null; readonly tokenId?: string };
  readonly recordedAt: string;
  readonly summary: string;
}

export class PreconditionFailed extends DomainError {
  readonly code = 'PRECONDITION_FAILED';

  constructor(
    /** The tag of the present settings. */
    readonly present: string,
    readonly changes: readonly UnreadChange[] = [],
  ) {
    super(messageOf(changes));
  }
}

function messageOf(changes: readonly UnreadChange[]): string {
  const last = changes.at(-1);
  if (last === undefined) return 'If-Match: is not the tag of the present settings; read them again';
  const times = changes.length === 1 ? 'once' : `${String(changes.length)} times`;
  return `If-Match: the settings were changed ${times} since they were read, last at ${last.recordedAt}: ${last.summary}`;
}

/**
 * Optimistic concurrency for clients: refuses when the settings are not those that the request was made for. To be called within a decision, which is made
 * again after every conflict of its append. `presentTag` answers null where the thing does not exist, which the decision itself refuses.
 */
export function requireMatch(
  { precondition }: { readonly precondition?: Precondition | undefined },
  presentTag: () => string | null,
): void {
  if (precondition === undefined) return;
  const present = presentTag();
  if (present !== null && !precondition.tags.includes(present)) throw new PreconditionFailed(present);
}

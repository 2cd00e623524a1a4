import type { DeliveryOutcome } from '../../../alerts/channels/post.ts';
import type { SsrfGuard } from '../../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { DecryptedChannelSettings, ParsedSettings, Transports } from '../../../alerts/channels/channel.ts';

/** Up to a hundred events of one scope, and before them what proves that none is missing (docs/destinations.md). */
export interface PushedBatch {
  /** The same at each retry. */
  readonly id: string;
  /** JSON of an array of CloudEvents. */
  readonly body: string;
}

/** `gone`: the receiver wants no more. Everything that is not delivered is retried. */
export type PushOutcome = DeliveryOutcome | { readonly kind: 'gone'; readonly reason: string };

export interface Kind {
  /** Batches in flight at once, over all destinations. */
  readonly maxConcurrent: number;
  readonly parseSettings: (given: Readonly<Record<string, unknown>>, guard: Pick<SsrfGuard, 'readUrl'>) => ParsedSettings;
  readonly deliver: (
    settings: DecryptedChannelSettings,
    batch: PushedBatch,
    transports: Pick<Transports, 'post' | 'now'>,
  ) => Promise<PushOutcome>;
}

export const PARTITIONS = ['project', 'stream', 'none'] as const;

/** Events of one partition are delivered in order, one at a time; `none`: all at once. */
export type PartitionBy = (typeof PARTITIONS)[number];

export interface SubscriptionFilter {
  /** All when empty. */
  readonly types: readonly string[];
  /** Null for everything within `reach`. */
  readonly scopes: readonly string[] | null;
  /** What a filter without scopes contains: the whole log, or the projects that the owner may read at each time. */
  readonly reach: 'log' | 'projects';
}

export interface SubscriptionSettings {
  readonly filter: SubscriptionFilter;
  readonly partition: PartitionBy;
  readonly maxInFlight: number;
  /** The lease of a delivery, in seconds. */
  readonly ackSeconds: number;
}

/** A subscription belongs to an account; its name is unique there. */
export interface SubscriptionKey {
  /** The number of a service account stands here, too. */
  readonly userId: number;
  readonly name: string;
}

/** A service account that has subscriptions. */
export interface SubscribedService {
  readonly userId: number;
  /** Null when it belongs to the installation. */
  readonly projectId: string | null;
}

export const keyText = ({ userId, name }: SubscriptionKey): string => `${String(userId)} ${name}`;

/** A dead letter: an event that a consumer parked. */
export interface DeadLetterEvent {
  readonly n: number;
  readonly attempts: number;
  readonly consumer: string;
  readonly reason: string;
}

export const DEFAULT_IN_FLIGHT = 1_000;
export const DEFAULT_ACK_SECONDS = 30;

import { nextAttemptAt } from '../../platform/outbox/outbox-relay.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { DestinationRow } from './destination.view.ts';
import type { Control, PartitionRow } from './push-store.ts';

/** This many failures in a row come from the receiver, not from the events of one project. */
const THRESHOLD = 5;

/**
 * Circuit breaker of one destination. Each scope backs off by itself, so that one that the receiver refuses does not stop the others; a receiver that fails
 * altogether gets one batch at a time (half-open), instead of one for every scope.
 */
class Circuit {
  private failures = 0;
  private openUntil = 0;

  /** When the next batch may be sent, in milliseconds. */
  get nextAt(): number {
    return this.openUntil;
  }

  allows(now: number, inFlight: number): boolean {
    return now >= this.openUntil && (this.failures < THRESHOLD || inFlight === 0);
  }

  close(): void {
    this.failures = 0;
    this.openUntil = 0;
  }

  /** `retryAfterMs`: the Retry-After of the receiver, which holds for all of its requests. */
  fail(now: number, retryAfterMs: number | null, random: number): void {
    this.failures++;
    if (this.failures >= THRESHOLD || retryAfterMs !== null)
      this.openUntil = nextAttemptAt(Math.max(1, this.failures - THRESHOLD + 1), retryAfterMs, now, random);
  }
}

/** One scope of a destination, whose events are pushed in order. */
export interface Partition {
  readonly destination: Destination;
  row: PartitionRow;
  /** Grows with every event that may have to be pushed. */
  wakes: number;
  /** `waiting` lasts until `readyAt`. */
  state: 'idle' | 'queued' | 'pushing' | 'waiting';
  readyAt: number;
}

/** A destination as the pusher holds it. */
export class Destination {
  readonly partitions = new Map<string, Partition>();
  readonly circuit = new Circuit();
  inFlight = 0;
  /** The position up to which the log was scanned for a destination of the installation. */
  scanned = -1;
  /** The replay that the scan began at. */
  scanReplay = -1;
  /** The value of `scanned` that is stored. */
  scanStored = -1;
  isScanning = false;

  constructor(
    /** The key under which the destination takes turns. */
    readonly number: number,
    /** The id of the project; null: the installation. */
    readonly owner: string | null,
    public settings: DestinationRow,
  ) {}

  get id(): string {
    return this.settings.destinationId;
  }

  /** The state that a scope which was never pushed begins with. */
  get start(): Pick<PartitionRow, 'position' | 'replay' | 'control'> {
    const { after, retriedN, replays } = this.settings;
    const replay = replays[''];
    return { position: replay?.after ?? after, replay: replay?.n ?? 0, control: Math.max(retriedN, replay?.n ?? 0) };
  }

  /** What was asked of it, in the order of the log. */
  get controls(): readonly Control[] {
    const { retriedN, replays } = this.settings;
    const asked = Object.entries(replays).map(([scope, { n, after }]) => ({ n, after, scope: scope === '' ? null : scope }));
    return [{ n: retriedN, scope: null, after: null }, ...asked].toSorted((one, other) => one.n - other.n);
  }

  wants({ type, scope }: Pick<LogEvent, 'type' | 'scope'>): boolean {
    const { types, scopes } = this.settings.filter;
    return (types.length === 0 || types.includes(type)) && (scopes === null || scopes.includes(scope));
  }

  /** Takes the row of a scope as it is stored. Answers of concurrent statements come in any order: an older one changes nothing but `latest`. */
  put(row: PartitionRow): Partition {
    const known = this.partitions.get(row.scope);
    if (known !== undefined) {
      const latest = Math.max(known.row.latest, row.latest);
      known.row = { ...(isOlder(row, known.row) ? known.row : row), latest };
      return known;
    }
    const partition: Partition = { destination: this, row, wakes: 0, state: 'idle', readyAt: 0 };
    this.partitions.set(row.scope, partition);
    return partition;
  }
}

const isOlder = (one: PartitionRow, other: PartitionRow): boolean => {
  if (one.control !== other.control) return one.control < other.control;
  return one.position !== other.position ? one.position < other.position : one.attempts < other.attempts;
};

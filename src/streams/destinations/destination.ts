import type { LogEvent } from '../../kernel/event.ts';
import type { DestinationRow } from './destination.view.ts';
import { Circuit } from './circuit.ts';
import type { Control, PartitionRow } from './push-store.ts';

/** One scope of a destination, whose events are pushed in order. */
export interface Partition {
  readonly destination: Destination;
  row: PartitionRow;
  /** Grows with every event that may have to be pushed. */
  wakes: number;
  /** `waiting`: for `readyAt`. */
  state: 'idle' | 'queued' | 'pushing' | 'waiting';
  readyAt: number;
}

/** A destination as the pusher holds it. */
export class Destination {
  readonly partitions = new Map<string, Partition>();
  readonly circuit = new Circuit();
  inFlight = 0;
  /** Of the installation: the log was scanned up to this position. */
  scanned = -1;
  /** Of the replay from which it was scanned. */
  scanReplay = -1;
  /** What is stored of it. */
  scanStored = -1;
  isScanning = false;

  constructor(
    /** By which turns are taken. */
    readonly number: number,
    /** The id of the project; null: the installation. */
    readonly owner: string | null,
    public settings: DestinationRow,
  ) {}

  get id(): string {
    return this.settings.destinationId;
  }

  /** Where a scope that was never pushed begins. */
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

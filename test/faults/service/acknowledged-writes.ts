import { derivedId } from '../../../src/kernel/ids.ts';

/** The exact number of events of each type that a write appends, however often it is retried. */
export type ExpectedEvents = Readonly<Record<string, number>>;

export interface RequestedWrite {
  readonly what: string;
  /** Every event of the write carries one of these command ids. */
  readonly commands: readonly string[];
  readonly traces: ExpectedEvents;
  acknowledged: boolean;
}

/** The account that writes in a fault run. */
const USER_ID = 1;

/** What clients asked for under a key. */
export class AcknowledgedWrites {
  private readonly all: RequestedWrite[] = [];
  private done = 0;

  /** Recorded before the request, whose outcome may stay unknown. */
  asked(method: string, path: string, key: string, traces: ExpectedEvents): RequestedWrite {
    const deed = { what: `${method} ${path} as ${key}`, commands: commandsOf(method, path, key), traces, acknowledged: false };
    this.all.push(deed);
    return deed;
  }

  acknowledge(deed: RequestedWrite): void {
    deed.acknowledged = true;
    this.done++;
  }

  get count(): number {
    return this.done;
  }

  /** A copy of the present state. */
  snapshot(): readonly Readonly<RequestedWrite>[] {
    return this.all.map((deed) => ({ ...deed }));
  }
}

const DAY_MS = 86_400_000;

/** docs/spec/decisions.md#G11: the key belongs to caller, method and path. The day of its first use is that of a clock which the test moves. */
function commandsOf(method: string, path: string, key: string): readonly string[] {
  const today = Math.floor(Date.now() / DAY_MS);
  return [today - 1, today, today + 1].map((day) =>
    derivedId('command', derivedId('idempotency', USER_ID, method, `/api${path}`, key), day),
  );
}

import { derivedId } from '../../../src/kernel/ids.ts';

/** Of each type of event so many, whatever happened: 1 for what a write appends once, and no more of it for any repeat of the write. */
export type Traces = Readonly<Record<string, number>>;

export interface Deed {
  readonly what: string;
  readonly traces: Traces;
  acknowledged: boolean;
}

/** Who writes in a fault run. */
const USER_ID = 1;

/** What clients asked for under a key, by the id that every event of such a write carries. */
export class Deeds {
  readonly byCommand = new Map<string, Deed>();
  private done = 0;

  /** Noted before it is asked for: nobody knows what becomes of it. */
  asked(method: string, path: string, key: string, traces: Traces): Deed {
    const deed = { what: `${method} ${path} as ${key}`, traces, acknowledged: false };
    this.byCommand.set(commandIdOf(method, path, key), deed);
    return deed;
  }

  acknowledge(deed: Deed): void {
    deed.acknowledged = true;
    this.done++;
  }

  get count(): number {
    return this.done;
  }

  /** As it is now; what comes later is another question. */
  snapshot(): ReadonlyMap<string, Readonly<Deed>> {
    return new Map([...this.byCommand].map(([id, deed]) => [id, { ...deed }]));
  }
}

/** decisions.md, G11: the key belongs to caller, method and path. */
export const commandIdOf = (method: string, path: string, key: string): string =>
  derivedId('command', derivedId('idempotency', USER_ID, method, `/api${path}`, key), 1);

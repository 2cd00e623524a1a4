import { AsyncLocalStorage } from 'node:async_hooks';
import type { Principal } from './principal.ts';

/** A GET that `watchledger recompute` answers again in its own process: as whom, and as of when. */
export interface Recomputation {
  readonly principal: Principal;
  readonly n: number;
  /** Milliseconds: "now" in the answer. */
  readonly at: number;
}

const current = new AsyncLocalStorage<Recomputation>();

/** Only for a server that accepts no connections. */
export const runRecomputation = <T>(recomputation: Recomputation, work: () => T): T => current.run(recomputation, work);

export const currentRecomputation = (): Recomputation | undefined => current.getStore();

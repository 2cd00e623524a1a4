import { GREEDY } from '../simulated-projects.ts';
import { SECOND } from '../time-limits.ts';

/** Two rounds of the slowest ordinary answers; a slow host of the greedy account holds its permit for longer. */
const MAX_WAIT_MS = 10 * SECOND;

/** An account whose jobs take as many fetches as they get makes no run of another account wait for a permit. */
export class FairTurns {
  /** Runs of the greedy account that waited for a permit: without any, the invariant would hold for lack of work. */
  greedyWaits = 0;

  constructor(
    private readonly wasAway: (from: number, to: number) => boolean,
    private readonly broken: (what: string) => void,
  ) {}

  waited(account: number | undefined, since: number, now: number): void {
    if (account === GREEDY && now > since) this.greedyWaits++;
    if (account === GREEDY || now - since <= MAX_WAIT_MS || this.wasAway(since, now)) return;
    this.broken(`a run of the account ${String(account)} waited ${String(Math.round((now - since) / SECOND))} s for a permit`);
  }
}

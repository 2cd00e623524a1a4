import { setTimeout as sleep } from 'node:timers/promises';

/** Between two deeds of one client: the log grows slowly, and something is under way at any moment. */
const PAUSE_MS = 30;

/** What all clients go by. */
export class ClientPace {
  private quiet: Promise<void> | undefined;

  async next(): Promise<void> {
    await sleep(PAUSE_MS);
    await this.quiet;
  }

  /** Nobody begins anything new until this is over. */
  async hush(until: Promise<unknown>): Promise<void> {
    this.quiet = until.then(
      () => undefined,
      () => undefined,
    );
    await this.quiet;
    this.quiet = undefined;
  }
}

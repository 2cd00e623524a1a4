import { setTimeout as sleep } from 'node:timers/promises';

/** Between two requests of one client: short enough that something is in progress at any moment. */
const PAUSE_MS = 30;

/** The pause between the requests of every client, and a way to stop them all for a while. */
export class ClientPace {
  private quiet: Promise<void> | undefined;

  constructor(private readonly pauseMs = PAUSE_MS) {}

  async next(): Promise<void> {
    await sleep(this.pauseMs);
    await this.quiet;
  }

  /** No client starts a request until this is over. */
  async hush(until: Promise<unknown>): Promise<void> {
    this.quiet = until.then(
      () => undefined,
      () => undefined,
    );
    await this.quiet;
    this.quiet = undefined;
  }
}

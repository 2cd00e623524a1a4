import { setImmediate as yieldToOthers } from 'node:timers/promises';
import {
  type CommandEffect,
  EffectFailed,
  type EffectOptions,
  type Effects,
  type HttpEffect,
  type HttpResult,
  type SqlResult,
} from '../../reactors/effects.ts';

/** The effects of one event up to the end of the last one, also of those that its handler does not await (structured concurrency). */
export class EffectsUnderWay implements Effects {
  private readonly underWay = new Set<Promise<void>>();
  private readonly failures = new Set<unknown>();
  /** Rejected promises that nothing awaits, with their errors. */
  private readonly unhandled = new Map<Promise<unknown>, unknown>();
  private isOver = false;

  constructor(private readonly effects: Effects) {}

  http(effect: HttpEffect): Promise<HttpResult> {
    return this.follow(() => this.effects.http(effect));
  }

  sql<Row extends object>(database: string, text: string, values?: readonly unknown[], options?: EffectOptions): Promise<SqlResult<Row>> {
    return this.follow(() => this.effects.sql<Row>(database, text, values, options));
  }

  command(effect: CommandEffect): Promise<HttpResult> {
    return this.follow(() => this.effects.command(effect));
  }

  /** Ends when the handler and its effects have ended; rejects when the handler does, or an effect fails that the handler does not await. */
  async run(handle: (effects: Effects) => Promise<void>): Promise<void> {
    try {
      await handle(this);
    } finally {
      // Waits for a turn of the event loop: what was not awaited may continue with another effect, and an unhandled rejection is known.
      do {
        await Promise.all(this.underWay);
        await yieldToOthers();
      } while (this.underWay.size > 0);
      this.isOver = true;
    }
    for (const error of this.unhandled.values()) throw error;
  }

  /** Whether an unhandled rejection is that of one of these effects. */
  noteUnhandled(error: unknown, promise: Promise<unknown>): boolean {
    if (!this.failures.has(error)) return false;
    this.unhandled.set(promise, error);
    return true;
  }

  /** It is awaited after all. */
  noteHandled(promise: Promise<unknown>): void {
    this.unhandled.delete(promise);
  }

  private async follow<Result>(make: () => Promise<Result>): Promise<Result> {
    if (this.isOver) throw new EffectFailed('the handler has ended: an effect must begin before it returns');
    const effect = make();
    const ended = effect.then(
      () => undefined,
      (error: unknown) => void this.failures.add(error),
    );
    this.underWay.add(ended);
    void ended.then(() => this.underWay.delete(ended));
    return effect;
  }
}

import { reasonOf } from '../kernel/system-error.ts';
import type { CheckerFigures } from './checker-meter.ts';

export type FlushKind = 'runs' | 'samples';

/** Which flushes of observations failed: a run that could not be stored is repeated and decides nothing, so no verdict shows the failure. */
export class FlushFailures {
  private readonly totals: Record<FlushKind, number> = { runs: 0, samples: 0 };
  private readonly latest = new Map<FlushKind, string>();

  constructor(private readonly report: (error: unknown, activity: string) => void) {}

  /** Called after each flush; `error` is null if it succeeded. */
  readonly onFlushed = (kind: FlushKind, error: unknown): void => {
    if (error === null) {
      this.latest.delete(kind);
      return;
    }
    this.totals[kind]++;
    this.latest.set(kind, reasonOf(error));
    this.report(error, `storing ${kind}`);
  };

  get figures(): Pick<CheckerFigures, 'flushFailures' | 'failingFlushes'> {
    return { flushFailures: { ...this.totals }, failingFlushes: Object.fromEntries(this.latest) };
  }
}

import { Logger } from '@nestjs/common';
import { RefusedUnderLoad } from '../kernel/errors.ts';
import { reasonOf } from '../kernel/system-error.ts';
import { Throttle } from '../kernel/throttle.ts';
import { isLook } from './schedule/admission.ts';
import type { TurnKind } from './schedule/turn.ts';

/** A turn later than this is logged. */
const LATE_MS = 5_000;
/** The same for a turn of the lane `looks`, which waits behind everything else. */
const LATE_LOOK_MS = 600_000;
/** The time between two entries of one kind: an overload or an outage concerns thousands of turns at once. */
const INTERVAL_MS = 1_000;

/** The log of the checker: one entry a second and kind, with the number of those since the last. */
export class CheckerLog {
  private readonly logger = new Logger('checker');
  private readonly throttle = new Throttle(INTERVAL_MS);

  failed(error: unknown, activity: string): void {
    const sinceLastEntry = this.throttle.pass(`${activity} ${error instanceof Error ? error.name : ''}`);
    if (sinceLastEntry === null) return;
    const entry = { activity, sinceLastEntry };
    if (error instanceof RefusedUnderLoad) this.logger.warn({ ...entry, reason: error.message }, 'refused under load; will be repeated');
    else this.logger.error({ ...entry, ...(error instanceof Error ? { err: error } : { reason: String(error) }) }, reasonOf(error));
  }

  inconclusive(reason: string): void {
    const sinceLastEntry = this.throttle.pass('inconclusive');
    if (sinceLastEntry === null) return;
    this.logger.warn({ reason, sinceLastEntry }, 'inconclusive: the cause is on our side; the attempt will be repeated');
  }

  started(kind: TurnKind, lateMs: number): void {
    const isLate = lateMs > (isLook(kind) ? LATE_LOOK_MS : LATE_MS);
    const sinceLastEntry = isLate ? this.throttle.pass(`late ${kind}`) : null;
    if (sinceLastEntry !== null) this.logger.warn({ kind, lateMs, sinceLastEntry }, 'a turn started late');
  }

  closed(books: number): void {
    this.logger.log({ books }, 'days closed');
  }

  storage(isAway: boolean): void {
    if (isAway) this.logger.error('observations cannot be stored; checks suspended');
    else this.logger.log('observations can be stored again; checks resumed');
  }

  moved(isMoved: boolean): void {
    if (isMoved) this.logger.warn('the observations are being moved, or were moved to another database; checks suspended');
    else this.logger.log('the observations are in place; checks resumed');
  }

  /** `offMs`: null once the clock is right again. */
  clock(offMs: number | null): void {
    if (offMs === null) this.logger.log('clock back in sync with the database; checks resumed');
    else this.logger.error({ offMs }, 'clock out of sync with the database; checks suspended');
  }
}

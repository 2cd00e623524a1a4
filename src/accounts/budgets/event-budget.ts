import { Injectable } from '@nestjs/common';
import type { NewEvent } from '../../kernel/event.ts';
import { SharedWindows } from '../../platform/postgres/shared-windows.ts';
import { payerOf, type Principal } from '../../platform/http/context/principal.ts';
import type { WriteBudget, WriteBudgets } from '../../platform/http/context/request-context.ts';
import { BudgetSpent } from '../../platform/http/errors/refusals.ts';
import { AccountBudgets } from './account-budgets.ts';

export const EVENT_BYTES = { name: 'events', seconds: 86_400 } as const;
export const MEBIBYTE = 1024 * 1024;

/** Bounds the bytes of events that the commands of an account append in a day; what the service itself appends does not count (docs/spec/decisions.md#A12). */
@Injectable()
export class EventBudget implements WriteBudgets {
  constructor(
    private readonly windows: SharedWindows,
    private readonly budgets: AccountBudgets,
  ) {}

  /** Undefined: unlimited. `always`: the request is counted but not refused, as a deletion, which frees more than it takes. */
  ofRequest(caller: Pick<Principal, 'userId' | 'plan' | 'service'>, always: boolean): WriteBudget | undefined {
    const userId = payerOf(caller);
    const { eventMegabytesPerDay: megabytes } = this.budgets.of(caller.plan);
    if (megabytes === null) return undefined;
    const limit = megabytes * MEBIBYTE;
    let allowed = always;
    return {
      // Once allowed, a request of several appends is carried out as a whole.
      check: () => {
        if (allowed) return;
        const { used, secondsLeft } = this.windows.use(EVENT_BYTES, userId);
        if (used >= limit) throw new BudgetSpent('events', spent(megabytes, secondsLeft), secondsLeft);
        allowed = true;
      },
      record: (events) => {
        this.windows.add(EVENT_BYTES, userId, bytesOf(events), limit);
      },
      recordBytes: (bytes) => {
        this.windows.add(EVENT_BYTES, userId, bytes, limit);
      },
    };
  }
}

const spent = (megabytes: number, seconds: number): string =>
  `This account has used up its ${String(megabytes)} MiB of changes for today; it can still delete. Please try again in ${String(seconds)} seconds.`;

const bytesOf = (events: readonly NewEvent[]): number =>
  events.reduce((sum, { data, meta }) => sum + Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(meta)), 0);

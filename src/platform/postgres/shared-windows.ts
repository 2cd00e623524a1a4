import type pg from 'pg';
import { type Clock, steadyClock } from '../../kernel/clock.ts';
import { growingCache } from '../../kernel/cached.ts';

/** One budget of an account, counted in windows of a fixed length. */
export interface WindowedBudget {
  readonly name: string;
  readonly seconds: number;
}

export interface WindowUse {
  readonly used: number;
  /** Until the window ends; of a window that has not begun, its whole length. */
  readonly secondsLeft: number;
}

interface FixedWindow {
  readonly key: string;
  readonly budget: WindowedBudget;
  readonly userId: number;
  /** The use by all instances, as of the last exchange; null before the first one of the window. */
  shared: number | null;
  /** The use by this instance since then: in the exchange that is under way, and since its start. */
  sending: number;
  unsent: number;
  /** By the local clock. */
  endsAt: number;
}

interface SharedRow {
  readonly used: string;
  readonly seconds_left: number;
}

const CAPACITY = 100_000;
const EXCHANGE_MS = 1_000;
/** The pause between exchanges while a window is new or fills quickly. */
const SOON_MS = 50;
/** A window that has grown by this part of its limit is exchanged soon. */
const SLICE = 20;

/**
 * `set_config(..., true)` holds for this transaction: counts survive a crash of the process, and after a crash of the database some milliseconds may be
 * missing, so the commit waits neither for the disk nor for a standby.
 */
const EXCHANGE = `
  WITH quickly AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS setting)
  INSERT INTO account_use AS known (budget, user_id, used, ends_at)
  SELECT budget, user_id, amount, now() + make_interval(secs => seconds)
  FROM unnest($1::text[], $2::int[], $3::bigint[], $4::int[]) AS given(budget, user_id, amount, seconds), quickly
  ORDER BY budget, user_id
  ON CONFLICT (budget, user_id) DO UPDATE SET
    used    = CASE WHEN known.ends_at > now() THEN known.used + excluded.used ELSE excluded.used END,
    ends_at = CASE WHEN known.ends_at > now() THEN known.ends_at ELSE excluded.ends_at END
  RETURNING budget, user_id, used, extract(epoch FROM ends_at - now())::float8 AS seconds_left`;

/**
 * A fixed-window rate limiter over all instances that costs a request no query: each instance counts by itself and exchanges its counts with the
 * others through a table, in one statement for all accounts (docs/decisions/budgets.md).
 */
export class SharedWindows {
  private readonly windows = growingCache<string, FixedWindow>(CAPACITY);
  private unsent = new Map<string, FixedWindow>();
  private timer: NodeJS.Timeout | undefined;
  /** When the timer fires, by the local clock; Infinity without one. */
  private dueAt = Infinity;
  private exchanging: Promise<void> | undefined;
  private failing = false;

  constructor(
    private readonly pool: pg.Pool,
    /** Called once per outage. */
    private readonly onError: (error: unknown) => void,
    private readonly clock: Clock = steadyClock,
  ) {}

  /** Answers the use with `amount` in it. `limit`: what is above it is neither counted nor exchanged. */
  add(budget: WindowedBudget, userId: number, amount: number, limit: number): WindowUse {
    const window = this.windowOf(budget, userId);
    if (usedOf(window) <= limit) {
      window.unsent += amount;
      this.unsent.set(window.key, window);
      this.exchangeWithin(window.shared === null || window.unsent * SLICE >= limit ? SOON_MS : EXCHANGE_MS);
    }
    return this.useOf(window);
  }

  /** As this instance knows it. */
  use(budget: WindowedBudget, userId: number): WindowUse {
    return this.useOf(this.windowOf(budget, userId));
  }

  /** The use by all instances, as far as they have sent it. */
  async exactUse(budget: WindowedBudget, userId: number): Promise<WindowUse> {
    const { rows } = await this.pool.query<SharedRow>(
      `SELECT used, extract(epoch FROM ends_at - now())::float8 AS seconds_left
       FROM account_use WHERE budget = $1 AND user_id = $2 AND ends_at > now()`,
      [budget.name, userId],
    );
    const [row] = rows;
    const window = this.windowOf(budget, userId);
    if (row === undefined) return this.useOf(window);
    return { used: Number(row.used) + window.unsent, secondsLeft: Math.max(1, Math.ceil(row.seconds_left)) };
  }

  /** Sends what is left. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.exchanging;
    await this.exchange();
  }

  private windowOf(budget: WindowedBudget, userId: number): FixedWindow {
    const key = keyOf(budget.name, userId);
    const now = this.clock.now();
    const known = this.windows.get(key) ?? this.unsent.get(key);
    if (known !== undefined && known.endsAt > now) return known;
    const window = { key, budget, userId, shared: null, sending: 0, unsent: 0, endsAt: now + budget.seconds * 1_000 };
    this.windows.set(key, window);
    return window;
  }

  private useOf(window: FixedWindow): WindowUse {
    return { used: usedOf(window), secondsLeft: Math.max(1, Math.ceil((window.endsAt - this.clock.now()) / 1_000)) };
  }

  private exchangeWithin(milliseconds: number): void {
    const at = this.clock.now() + milliseconds;
    if (at >= this.dueAt) return;
    this.dueAt = at;
    if (this.exchanging !== undefined) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.dueAt = Infinity;
      this.exchanging = this.exchange().finally(() => {
        this.exchanging = undefined;
        const next = this.failing ? EXCHANGE_MS : this.dueAt - this.clock.now();
        this.dueAt = Infinity;
        if (this.unsent.size > 0) this.exchangeWithin(Math.min(EXCHANGE_MS, Math.max(SOON_MS, next)));
      });
    }, milliseconds);
    // `close` makes the last exchange.
    this.timer.unref();
  }

  /** Sends every count and takes over the totals. A count that could not be sent is sent the next time; until then each instance counts by itself. */
  private async exchange(): Promise<void> {
    const sent = [...this.unsent.values()];
    if (sent.length === 0) return;
    this.unsent = new Map();
    for (const window of sent) [window.sending, window.unsent] = [window.unsent, 0];
    const values = [
      sent.map(({ budget }) => budget.name),
      sent.map(({ userId }) => userId),
      sent.map(({ sending }) => sending),
      sent.map(({ budget }) => budget.seconds),
    ];
    try {
      const { rows } = await this.pool.query<SharedRow & { budget: string; user_id: number }>({
        name: 'account-use',
        text: EXCHANGE,
        values,
      });
      const totals = new Map(rows.map((row) => [keyOf(row.budget, row.user_id), row]));
      for (const window of sent) this.takeOver(window, totals.get(window.key));
      this.failing = false;
    } catch (error) {
      for (const window of sent) {
        window.unsent += window.sending;
        window.sending = 0;
        if (!this.unsent.has(window.key)) this.unsent.set(window.key, window);
      }
      if (!this.failing) this.onError(error);
      this.failing = true;
    }
  }

  private takeOver(window: FixedWindow, total: SharedRow | undefined): void {
    window.sending = 0;
    if (total === undefined) return;
    window.shared = Number(total.used);
    window.endsAt = this.clock.now() + total.seconds_left * 1_000;
  }
}

/** Deletes the rows of windows that have ended. */
export async function forgetEndedUse(pool: pg.Pool): Promise<void> {
  await pool.query('DELETE FROM account_use WHERE ends_at < now()');
}

const keyOf = (budget: string, userId: number): string => `${budget} ${String(userId)}`;

const usedOf = ({ shared, sending, unsent }: FixedWindow): number => (shared ?? 0) + sending + unsent;

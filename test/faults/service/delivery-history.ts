export interface HandedOut {
  readonly token: number;
  readonly scope: string;
  readonly position: number;
}

/**
 * What the consumers of a subscription hold against it: each scope in the order of the log, and nothing before what comes before it; tokens that grow; no
 * event again after its acknowledgement, unless the subscription was reset. Repeats before the acknowledgement are allowed.
 */
export class DeliveryHistory {
  readonly problems: string[] = [];
  private readonly delivered = new Map<string, { readonly positions: Set<number>; last: number }>();
  private readonly tokens = new Set<number>();
  private readonly lastTokens = new Map<number, number>();
  /** The token under which each position was acknowledged. */
  private readonly done = new Map<number, number>();
  private readonly parked = new Set<number>();
  private resets = 0;
  private isResetting = false;

  /** Changes with a reset; an acknowledgement counts only within one. */
  get epoch(): number {
    return this.resets;
  }

  /** `consumer`: asks for one page after the other. */
  deliver(consumer: number, { token, scope, position }: HandedOut): void {
    const before = this.lastTokens.get(consumer) ?? -1;
    if (token <= before) this.problems.push(`the token ${String(token)} follows ${String(before)}`);
    if (this.tokens.has(token)) this.problems.push(`the token ${String(token)} was handed out twice`);
    this.lastTokens.set(consumer, token);
    this.tokens.add(token);
    // Pages of two consumers may arrive in another order than they were read; their tokens tell.
    if (token > (this.done.get(position) ?? Infinity)) this.problems.push(`${String(position)} was delivered after its acknowledgement`);
    this.parked.delete(position);
    const known = this.delivered.get(scope) ?? { positions: new Set(), last: -1 };
    this.delivered.set(scope, known);
    if (known.positions.has(position)) return;
    if (position < known.last) this.problems.push(`${String(position)} of ${scope} was delivered first after ${String(known.last)}`);
    known.positions.add(position);
    known.last = position;
  }

  acknowledge({ position, token }: HandedOut, epoch: number): void {
    if (epoch === this.resets && !this.isResetting) this.done.set(position, token);
  }

  /** Before it is asked for, since another consumer may replay it before the answer comes. */
  park({ position }: HandedOut): void {
    this.parked.add(position);
  }

  /** The token was stale. */
  notParked({ position }: HandedOut): void {
    this.parked.delete(position);
  }

  /** `work` resets the subscription; when it takes effect within that time is unknown. */
  async duringReset(work: () => Promise<unknown>): Promise<void> {
    this.resets++;
    this.isResetting = true;
    this.done.clear();
    await work();
    this.resets++;
    this.isResetting = false;
  }

  countOf(scope: string): number {
    return this.delivered.get(scope)?.positions.size ?? 0;
  }

  /** Parked, and not delivered again. */
  get stillParked(): readonly number[] {
    return [...this.parked];
  }
}

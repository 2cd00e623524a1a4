/** Port: counts what budgets refuse, for the operator. */
export interface BudgetMeter {
  /** `budget`: one of a fixed list of names. */
  refused(budget: string): void;
  /** Live streams and followed jobs that are open on this instance. */
  streams(count: () => number): void;
}

/** Injection token. */
export const BUDGET_METER = Symbol('BudgetMeter');

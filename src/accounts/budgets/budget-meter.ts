/** Port: shows the use of budgets to the operator. */
export interface BudgetMeter {
  /** Live streams and followed jobs that are open on this instance. */
  streams(count: () => number): void;
}

/** Injection token. */
export const BUDGET_METER = Symbol('BudgetMeter');

/** What an account's subscription allows (decisions.md, A9). Null: no bound. */
export interface Plan {
  readonly name: string;
  readonly apiAccess: boolean;
  readonly maxProjects: number | null;
  /** One of the project periods. */
  readonly defaultPeriod: string;
  /** Seconds. */
  readonly minUptimePeriod: number;
}

/** By name. */
export type Plans = ReadonlyMap<string, Plan>;

/** Injection token. */
export const PLANS = Symbol('Plans');

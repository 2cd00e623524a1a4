/** The limits of a subscription (docs/spec/decisions.md#A9). Null: no bound. */
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

/** The plans of an installation that brings no file of its own. */
export const builtInPlans: Plans = new Map(
  [
    { name: 'free', apiAccess: false, maxProjects: 3, defaultPeriod: '1 day', minUptimePeriod: 60 },
    { name: 'basic', apiAccess: true, maxProjects: 10, defaultPeriod: '30 minutes', minUptimePeriod: 30 },
    { name: 'unlimited', apiAccess: true, maxProjects: null, defaultPeriod: '5 minutes', minUptimePeriod: 15 },
  ].map((plan) => [plan.name, plan]),
);

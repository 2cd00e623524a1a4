import type { Principal } from '../platform/http/context/principal.ts';
import type { Config } from '../platform/config/config.ts';

/** What an account may use up; a null is no bound (docs/spec/decisions.md#A12). */
export interface Budgets {
  readonly requestsPerMinute: number | null;
  /** The bound of each token of the account. */
  readonly requestsPerMinuteOfToken: number | null;
  /** Live streams and followed jobs at once, on one instance. */
  readonly liveStreams: number | null;
  /** Jobs that were started by hand in the projects that the account owns. */
  readonly runningJobs: number | null;
  /** Mebibytes of events that the commands of the account append. */
  readonly eventMegabytesPerDay: number | null;
}

/** The same in every plan. */
export const MAX_PERSONAL_TOKENS = 100;

/** The limits of a subscription; a null is no bound (docs/spec/decisions.md#A9). */
export interface Plan {
  readonly name: string;
  readonly apiAccess: boolean;
  readonly maxProjects: number | null;
  /** One of the project periods. */
  readonly defaultPeriod: string;
  /** Seconds. */
  readonly minUptimePeriod: number;
  /** Its accounts must have a second factor. */
  readonly secondFactor?: boolean;
  /** Those that differ from `defaultBudgets`. */
  readonly budgets?: Partial<Budgets>;
}

/** The plans by name. */
export abstract class Plans {
  abstract get(name: string): Plan | undefined;
  abstract has(name: string): boolean;
  abstract keys(): MapIterator<string>;
  abstract values(): MapIterator<Plan>;
}

type RequestBudgets = 'requestsPerMinute' | 'requestsPerMinuteOfToken';

/** Apply where a plan states none; the defaults of requests a minute are the settings `RATE_LIMIT` and `TOKEN_RATE_LIMIT`. */
export const defaultBudgets: Omit<Budgets, RequestBudgets> = { liveStreams: 20, runningJobs: 20, eventMegabytesPerDay: 100 };

/** Contains requests a minute only if the plan states them, as their default is the installation's. */
export const budgetsOf = (plan: Plan | undefined): Omit<Budgets, RequestBudgets> & Partial<Budgets> => ({
  ...defaultBudgets,
  ...plan?.budgets,
});

/** The plan of the first account and of service accounts of the installation, which exists in addition to those of a file. */
export const INSTALLATION_PLAN = 'unlimited';

/** The plans of an installation that brings no file of its own. */
export const builtInPlans: ReadonlyMap<string, Plan> = new Map(
  [
    {
      name: 'free',
      apiAccess: false,
      maxProjects: 3,
      defaultPeriod: '1 day',
      minUptimePeriod: 60,
      budgets: { liveStreams: 5, runningJobs: 5, eventMegabytesPerDay: 10 },
    },
    { name: 'basic', apiAccess: true, maxProjects: 10, defaultPeriod: '30 minutes', minUptimePeriod: 30 },
    {
      name: 'unlimited',
      apiAccess: true,
      maxProjects: null,
      defaultPeriod: '5 minutes',
      minUptimePeriod: 15,
      budgets: { liveStreams: null, runningJobs: null, eventMegabytesPerDay: null },
    },
  ].map((plan) => [plan.name, plan]),
);

/** Whether plan or system role demand a second factor (docs/spec/decisions.md#A17). */
export const mustHaveFactor = (
  { plan, systemRole }: Pick<Principal, 'plan' | 'systemRole'>,
  plans: Plans,
  { secondFactorRoles }: Pick<Config, 'secondFactorRoles'>,
): boolean => plans.get(plan)?.secondFactor === true || (systemRole !== null && secondFactorRoles.includes(systemRole));

/** Whether the plan of the caller lets programs use the API; the console is part of every plan (docs/spec/decisions.md#A6). */
export const hasApiAccess = ({ plan, isSession = false }: Pick<Principal, 'plan' | 'isSession'>, plans: Plans): boolean =>
  isSession || plans.get(plan)?.apiAccess === true;

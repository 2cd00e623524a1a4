import { readFileSync } from 'node:fs';
import { type Config, ConfigInvalid } from '../platform/config/config.ts';
import { type Budgets, builtInPlans, INSTALLATION_PLAN, type Plan, type Plans } from '../accounts/plan.ts';
import { periods } from '../projects/project.settings.ts';
import { isObject } from '../kernel/is-object.ts';

const NAME = /^[\w-]{1,40}$/;

/** An account whose plan was removed from the file has the default plan; `has` is false for the removed plan, so that it cannot be assigned. */
class PlansWithDefault extends Map<string, Plan> {
  constructor(
    plans: Iterable<readonly [string, Plan]>,
    private readonly fallback: Plan,
  ) {
    super(plans);
  }

  override get(name: string): Plan {
    return super.get(name) ?? this.fallback;
  }
}

/** `PLANS_FILE`, else built in: JSON, a list of plans or an object by name (docs/spec/decisions.md#A9). */
export function loadPlans({ plansFile, defaultPlan }: Pick<Config, 'plansFile' | 'defaultPlan'>): Plans {
  const plans = plansFile === undefined ? builtInPlans : readPlans(plansFile);
  const fallback = plans.get(defaultPlan);
  if (fallback === undefined)
    throw new ConfigInvalid([`DEFAULT_PLAN: must be one of ${[...plans.keys()].join(', ')}, found "${defaultPlan}"`]);
  const installation = builtInPlans.get(INSTALLATION_PLAN);
  const missing = installation === undefined || plans.has(INSTALLATION_PLAN) ? [] : [[INSTALLATION_PLAN, installation] as const];
  return new PlansWithDefault([...plans, ...missing], fallback);
}

function readPlans(path: string): ReadonlyMap<string, Plan> {
  const entries = entriesOf(parsed(path));
  const read = entries.map(([name, entry], place) => readPlan(name ?? `plan ${String(place + 1)}`, entry));
  const problems = read.flatMap((plan) => ('problems' in plan ? plan.problems : []));
  const plans = read.flatMap((plan) => ('problems' in plan ? [] : [plan]));
  if (entries.length === 0) problems.push('must contain at least one plan');
  if (new Set(plans.map(({ name }) => name)).size < plans.length) problems.push('contains a plan twice');
  if (problems.length > 0) throw new ConfigInvalid(problems.map((problem) => `PLANS_FILE: ${problem}`));
  return new Map(plans.map((plan) => [plan.name, plan]));
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new ConfigInvalid(['PLANS_FILE: must hold JSON']);
  }
}

/** A list, an object by name, or either under `plans`. */
function entriesOf(value: unknown): readonly (readonly [string | null, unknown])[] {
  if (Array.isArray(value))
    return value.map((entry: unknown) => [isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : null, entry]);
  if (!isObject(value)) return [];
  return 'plans' in value ? entriesOf(value['plans']) : Object.entries(value);
}

function readPlan(name: string, entry: unknown): Plan | { readonly problems: string[] } {
  if (!isObject(entry)) return { problems: [`${name} must be an object`] };
  const { apiAccess, maxProjects = null, defaultPeriod, minUptimePeriod, secondFactor = false, budgets: given } = entry;
  const budgets = readBudgets(name, given);
  const period = periods.find((candidate) => candidate === defaultPeriod && candidate !== 'false');
  const problems = [
    ...(NAME.test(name) ? [] : [`${name}: name must be letters, digits, - and _`]),
    ...(typeof apiAccess === 'boolean' ? [] : [`${name}: apiAccess must be true or false`]),
    ...(maxProjects === null || isCount(maxProjects) ? [] : [`${name}: maxProjects must be a whole number from 0, or null for no limit`]),
    ...(period === undefined ? [`${name}: defaultPeriod must be one of ${periods.filter((known) => known !== 'false').join(', ')}`] : []),
    ...(minUptimePeriod === 15 || minUptimePeriod === 30 || minUptimePeriod === 60
      ? []
      : [`${name}: minUptimePeriod must be 15, 30 or 60`]),
    ...(typeof secondFactor === 'boolean' ? [] : [`${name}: secondFactor must be true or false`]),
    ...('problems' in budgets ? budgets.problems : []),
  ];
  if (problems.length > 0 || period === undefined || typeof apiAccess !== 'boolean' || 'problems' in budgets) return { problems };
  return {
    name,
    apiAccess,
    maxProjects: isCount(maxProjects) ? maxProjects : null,
    defaultPeriod: period,
    minUptimePeriod: Number(minUptimePeriod),
    ...(secondFactor === true ? { secondFactor } : {}),
    ...(given === undefined ? {} : { budgets }),
  };
}

const BUDGETS: readonly (keyof Budgets)[] = [
  'requestsPerMinute',
  'requestsPerMinuteOfToken',
  'liveStreams',
  'runningJobs',
  'eventMegabytesPerDay',
];

function readBudgets(name: string, given: unknown): Partial<Budgets> | { readonly problems: string[] } {
  if (given === undefined) return {};
  if (!isObject(given)) return { problems: [`${name}: budgets must be an object`] };
  const problems = Object.entries(given).flatMap(([budget, value]) => {
    if (!BUDGETS.some((known) => known === budget)) return [`${name}: budgets.${budget} is not one of ${BUDGETS.join(', ')}`];
    return value === null || isCount(value) ? [] : [`${name}: budgets.${budget} must be a whole number from 0, or null for no limit`];
  });
  return problems.length > 0 ? { problems } : given;
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

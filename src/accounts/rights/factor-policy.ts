import type { Config } from '../../platform/config/config.ts';
import type { Plans } from '../plan.ts';
import type { Principal } from '../../platform/http/context/principal.ts';

/** Whether plan or system role demand a second factor (docs/spec/decisions.md#A17). */
export const mustHaveFactor = (
  { plan, systemRole }: Pick<Principal, 'plan' | 'systemRole'>,
  plans: Plans,
  { secondFactorRoles }: Pick<Config, 'secondFactorRoles'>,
): boolean => plans.get(plan)?.secondFactor === true || (systemRole !== null && secondFactorRoles.includes(systemRole));

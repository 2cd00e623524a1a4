import type { Plans } from '../plan.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { Config } from '../../platform/config/config.ts';

/** Whether plan or system role demand a second factor (docs/spec/decisions.md#A17). */
export const mustHaveFactor = (
  { plan, systemRole }: Pick<Principal, 'plan' | 'systemRole'>,
  plans: Plans,
  { secondFactorRoles }: Pick<Config, 'secondFactorRoles'>,
): boolean => plans.get(plan)?.secondFactor === true || (systemRole !== null && secondFactorRoles.includes(systemRole));

/** Whether the plan of the caller lets programs use the API; the console is part of every plan (docs/spec/decisions.md#A6). */
export const hasApiAccess = ({ plan, isSession = false }: Pick<Principal, 'plan' | 'isSession'>, plans: Plans): boolean =>
  isSession || plans.get(plan)?.apiAccess === true;

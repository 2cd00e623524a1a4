import type { Plans } from '../plan.ts';
import type { Principal } from '../../platform/http/context/principal.ts';

/** Whether the plan of the caller lets programs use the API; the console is part of every plan (docs/spec/decisions.md#A6). */
export const hasApiAccess = ({ plan, isSession = false }: Pick<Principal, 'plan' | 'isSession'>, plans: Plans): boolean =>
  isSession || plans.get(plan)?.apiAccess === true;

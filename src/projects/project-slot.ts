import type { ActiveAccount } from '../accounts/account.state.ts';
import type { Plans } from '../accounts/plan.ts';
import { DomainError } from '../kernel/errors.ts';
import type { Claims } from '../platform/postgres/claims.ts';

/** Kind of claim: one of the slots 1…max that the plan of an account grants. */
export const PROJECT_SLOT = 'project-slot';

export class ProjectLimitReached extends DomainError {
  readonly code = 'PROJECT_LIMIT_REACHED';
}

export type PlanLookup = Pick<Plans, 'get'>;

/** Plan limit: claims a project slot of the account; throws `refusal` if its plan grants no further one. */
export async function claimProjectSlot(
  { claims, plans }: { readonly claims: Claims; readonly plans: PlanLookup },
  { userId, plan: planName }: ActiveAccount,
  projectId: string,
  refusal: string,
): Promise<string> {
  const plan = plans.get(planName);
  if (plan === undefined) throw new Error(`the plan ${planName} is not configured`);
  const slot = await claims.claimSlot(PROJECT_SLOT, String(userId), plan.maxProjects, projectId);
  if (slot === null) throw new ProjectLimitReached(refusal);
  return slot;
}

import type { Decider, StreamTarget } from '../../kernel/decider.ts';
import { requireOpenProject } from '../project.decider.ts';
import { mustGrant, mustManage } from '../members/member.decider.ts';
import { MembershipRefused } from '../membership-refused.ts';
import type { Project } from '../project.state.ts';
import { isSystemRole } from '../../accounts/rights/roles.ts';
import { evolveServiceAccounts, type ServiceAccountEvent, type ServiceAccounts } from './service-account.state.ts';
import type { ManagedServiceAccounts } from './service-account.decider.ts';

/** People who manage users manage service accounts; a service account does not. `by` is null for a token that ends itself, and for the operator. */
export function serviceAccountsOfProject(state: Project, by: number | null): ManagedServiceAccounts {
  const project = requireOpenProject(state);
  return {
    accounts: project.serviceAccounts,
    mustManage: () => {
      if (by !== null) mustManage(project, by);
    },
    mustGrant: (role) => {
      if (isSystemRole(role)) throw new MembershipRefused('A system role is no role of a project.');
      if (by !== null) mustGrant(project, role, by);
    },
  };
}

/** Administrators manage these; the route has checked their right. */
export const serviceAccountsOfInstallation = (accounts: ServiceAccounts): ManagedServiceAccounts => ({
  accounts,
  mustManage: () => undefined,
  mustGrant: () => undefined,
});

const serviceAccounts: Decider<ServiceAccounts, ServiceAccountEvent> = { initial: new Map(), evolve: evolveServiceAccounts };

/** Service accounts of the installation: in a stream of their own. */
export const serviceAccountsTarget: StreamTarget<ServiceAccounts, ServiceAccountEvent> = {
  stream: 'service-accounts',
  scope: 'system',
  decider: serviceAccounts,
};

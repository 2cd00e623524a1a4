import { ignoreUnknownEvent } from '../../kernel/decider.ts';
import type { EventBody } from '../../kernel/event.ts';
import type { ProjectEvents } from '../project.events.ts';
import type { ServiceRole } from '../../accounts/rights/roles.ts';

/** A program that acts in one project, or for the installation. It is no member: it owns nothing, manages no users and gets no notifications. */
export interface ServiceAccount {
  readonly name: string;
  readonly role: ServiceRole;
  /** Tokens that were not revoked, and when they end. */
  readonly tokens: ReadonlyMap<string, string>;
}

type ServiceEventType = Extract<keyof ProjectEvents, `Service${string}`>;
export type ServiceAccountEvent = { [Type in ServiceEventType]: EventBody<Type, ProjectEvents[Type]> }[ServiceEventType];
/** By id. */
export type ServiceAccounts = ReadonlyMap<string, ServiceAccount>;

export const isOfServiceAccount = (event: { readonly type: string }): event is ServiceAccountEvent => event.type.startsWith('Service');

export function evolveServiceAccounts(known: ServiceAccounts, event: ServiceAccountEvent): ServiceAccounts {
  const accounts = new Map(known);
  const { serviceAccountId } = event.data;
  if (event.type === 'ServiceAccountCreated') {
    const { name, role } = event.data;
    return accounts.set(serviceAccountId, { name, role, tokens: new Map() });
  }
  const account = known.get(serviceAccountId);
  if (event.type === 'ServiceAccountDeleted') accounts.delete(serviceAccountId);
  else if (account !== undefined) accounts.set(serviceAccountId, evolveAccount(account, event));
  return accounts;
}

function evolveAccount(
  account: ServiceAccount,
  event: Exclude<ServiceAccountEvent, { type: 'ServiceAccountCreated' | 'ServiceAccountDeleted' }>,
): ServiceAccount {
  switch (event.type) {
    case 'ServiceAccountRenamed':
      return { ...account, name: event.data.to };
    case 'ServiceAccountRoleChanged':
      return { ...account, role: event.data.to };
    case 'ServiceTokenIssued':
      return { ...account, tokens: new Map(account.tokens).set(event.data.tokenId, event.data.expiresAt) };
    case 'ServiceTokenRevoked':
      return { ...account, tokens: new Map([...account.tokens].filter(([tokenId]) => tokenId !== event.data.tokenId)) };
    default:
      return ignoreUnknownEvent(event, account);
  }
}

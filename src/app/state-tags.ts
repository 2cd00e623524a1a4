import type { Account } from '../accounts/account.state.ts';
import type { AddressedChannel } from '../accounts/account.events.ts';
import type { Badge } from '../overview/badge/badge.decider.ts';
import type { Checklist } from '../projects/checks/checklist.decider.ts';
import type { Destinations } from '../streams/destinations/destination.decider.ts';
import type { MaintenanceWindows } from '../projects/maintenance/maintenance.decider.ts';
import type { Objective } from '../projects/objectives/objective.decider.ts';
import type { Preferences } from '../alerts/preferences/preference.decider.ts';
import { defaultNotifications } from '../alerts/preferences/preference.settings.ts';
import type { Project } from '../projects/project.state.ts';
import { type StatusPages, statusPageSettingsOf } from '../status-pages/status-page.decider.ts';
import type { ServiceAccounts } from '../projects/service-accounts/service-account.state.ts';
import {
  accountTag,
  areaTag,
  badgeTag,
  channelTag,
  checkTag,
  destinationTag,
  maintenanceTag,
  notificationsTag,
  objectiveTag,
  projectTag,
  statusPageTag,
  serviceAccountTag,
  usersTag,
} from './settings-tags.ts';

// The tags of the settings in the states of deciders; null where the thing does not exist, which the decision itself refuses.

export const projectTagIn = (projectId: string, project: Project): string | null =>
  project.kind === 'open' ? projectTag(projectId, project.settings) : null;

export function usersTagIn(projectId: string, project: Project): string | null {
  if (project.kind !== 'open') return null;
  return usersTag(projectId, {
    payerId: project.payerId,
    members: [...project.members].map(([userId, role]) => ({ userId, role })),
    invitations: [...project.invitations].map(([invitationId, { role, expiresAt }]) => ({ invitationId, role, expiresAt })),
  });
}

export function checkTagIn(checkId: string, { checks }: Checklist): string | null {
  const check = checks.get(checkId);
  return check === undefined ? null : checkTag(checkId, check);
}

export function areaTagIn(areaId: string, { areas }: Checklist): string | null {
  const settings = areas.get(areaId);
  return settings === undefined ? null : areaTag(areaId, settings);
}

export const objectiveTagIn = (projectId: string, { current }: Objective): string => objectiveTag(projectId, current);

export const maintenanceTagIn = (projectId: string, windows: MaintenanceWindows): string =>
  maintenanceTag(projectId, [...windows.values()]);

export function notificationsTagIn(projectId: string, userId: number, preferences: Preferences): string | null {
  const settings = preferences.get(userId);
  return settings === undefined ? null : notificationsTag(projectId, userId, settings ?? defaultNotifications);
}

export const badgeTagIn = (projectId: string, { published, serial }: Badge): string => badgeTag(projectId, published ? serial : null);

export const accountTagIn = (account: Account): string | null =>
  account.kind === 'open' ? accountTag(account.userId, account.profile) : null;

export function channelTagIn(channel: AddressedChannel | 'email', account: Account): string | null {
  if (account.kind !== 'open') return null;
  const values = channel === 'email' ? account.profile.notificationEmail : (account.channels.get(channel) ?? null);
  return channelTag(account.userId, channel, values);
}

export function statusPageTagIn(pageId: string, pages: StatusPages): string | null {
  const page = pages.get(pageId);
  return page === undefined ? null : statusPageTag(pageId, statusPageSettingsOf(page), page.password !== null);
}

export function serviceAccountTagIn(serviceAccountId: string, accounts: ServiceAccounts): string | null {
  const account = accounts.get(serviceAccountId);
  return account === undefined ? null : serviceAccountTag(serviceAccountId, account);
}

export function destinationTagIn(destinationId: string, destinations: Destinations): string | null {
  const destination = destinations.get(destinationId);
  return destination === undefined ? null : destinationTag(destinationId, destination);
}

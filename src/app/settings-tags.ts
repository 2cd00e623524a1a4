import { hash } from 'node:crypto';
import type { AreaSettings } from '../projects/areas/area.settings.ts';
import type { CheckSettings } from '../projects/checks/check.settings.ts';
import type { DestinationSettings } from '../streams/destinations/destination.settings.ts';
import type { ServiceObjective } from '../projects/objectives/objective.settings.ts';
import type { NotificationSettings } from '../alerts/preferences/preference.settings.ts';
import type { ProjectSettings } from '../projects/project.settings.ts';
import type { RoleId, ServiceRole } from '../accounts/rights/roles.ts';
import type { StatusPageSettings } from '../status-pages/status-page.settings.ts';

/** What `If-Match` protects: objects whose settings are read and written by people and programs. */
export type MatchedThing =
  | 'project'
  | 'test'
  | 'area'
  | 'users'
  | 'objective'
  | 'maintenance'
  | 'notifications'
  | 'badge'
  | 'account'
  | 'channel'
  | 'serviceAccount'
  | 'destination'
  | 'statusPage';

export const SETTINGS_TAG_LENGTH = 22;

/**
 * The part of an entity tag that `If-Match` compares (docs/spec/decisions.md#G17): a hash of the settings of one object, without verdicts, measurements
 * and the clock. It is the same from a row of a view, which a GET shows, and from the state that a command decides on, so that no revision has to be kept.
 */
const settingsTag = (thing: MatchedThing, id: string, settings: unknown): string =>
  hash('sha256', JSON.stringify([thing, id, sorted(settings)]), 'base64url').slice(0, SETTINGS_TAG_LENGTH);

/** By value: members of a stored document may come in another order. A copy takes half the time of a function that `JSON.stringify` calls. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) copy[name] = sorted(value[name as keyof typeof value]);
  return copy;
}

export const projectTag = (projectId: string, settings: ProjectSettings): string => settingsTag('project', projectId, settings);

export const checkTag = (checkId: string, { areaId, settings }: { readonly areaId: string; readonly settings: CheckSettings }): string =>
  settingsTag('test', checkId, { areaId, settings });

export const areaTag = (areaId: string, settings: AreaSettings): string => settingsTag('area', areaId, settings);

export interface UsersOfProject {
  readonly payerId: number;
  readonly members: readonly { readonly userId: number; readonly role: RoleId }[];
  readonly invitations: readonly { readonly invitationId: string; readonly role: RoleId; readonly expiresAt: string }[];
}

export const usersTag = (projectId: string, { payerId, members, invitations }: UsersOfProject): string =>
  settingsTag('users', projectId, {
    payerId,
    members: Object.fromEntries(members.map(({ userId, role }) => [userId, role])),
    invitations: Object.fromEntries(invitations.map(({ invitationId, role, expiresAt }) => [invitationId, [role, expiresAt]])),
  });

export const objectiveTag = (projectId: string, objective: ServiceObjective | null): string => {
  if (objective === null) return settingsTag('objective', projectId, null);
  const { target, offsetMinutes, methods, credits } = objective;
  return settingsTag('objective', projectId, { target, offsetMinutes, methods, credits });
};

export interface TaggedWindow {
  readonly windowId: string;
  readonly from: string;
  readonly to: string;
  readonly note: string;
  readonly repeat: string | null;
  readonly offsetMinutes: number;
  readonly endedAt: string | null;
}

export const maintenanceTag = (projectId: string, windows: readonly TaggedWindow[]): string =>
  settingsTag(
    'maintenance',
    projectId,
    windows.map(({ windowId, from, to, note, repeat, offsetMinutes, endedAt }) => [
      ...[windowId, from, to, note, repeat, offsetMinutes, endedAt],
    ]),
  );

export const notificationsTag = (projectId: string, userId: number, settings: NotificationSettings): string =>
  settingsTag('notifications', `${projectId} ${String(userId)}`, settings);

/** `serial`: of the published badge; null: none is. */
export const badgeTag = (projectId: string, serial: number | null): string => settingsTag('badge', projectId, serial);

/** What its owner may change of an account; texts are sealed. */
export interface TaggedProfile {
  readonly name: object;
  readonly phone: object | null;
  readonly timezone: string;
  readonly notificationEmail: object | null;
  readonly notificationDelay: number;
  readonly reportPeriod: string;
}

export const accountTag = (
  userId: number,
  { name, phone, timezone, notificationEmail, notificationDelay, reportPeriod }: TaggedProfile,
): string => settingsTag('account', String(userId), { name, phone, timezone, notificationEmail, notificationDelay, reportPeriod });

/** `values`: addresses and keys, sealed; of the channel `email` the notification address. */
export const channelTag = (userId: number, channel: string, values: object | null): string =>
  settingsTag('channel', `${String(userId)} ${channel}`, values);

/** `hasPassword`: of the password itself no tag tells. */
export const statusPageTag = (pageId: string, settings: StatusPageSettings, hasPassword: boolean): string =>
  settingsTag('statusPage', pageId, { settings, hasPassword });

export const serviceAccountTag = (
  serviceAccountId: string,
  { name, role }: { readonly name: string; readonly role: ServiceRole },
): string => settingsTag('serviceAccount', serviceAccountId, { name, role });

/** Addresses and secrets are sealed. */
export const destinationTag = (destinationId: string, { kind, name, host, values, filter }: DestinationSettings): string =>
  settingsTag('destination', destinationId, { kind, name, host, values, filter });

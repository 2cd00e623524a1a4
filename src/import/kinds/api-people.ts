import type { RoleId } from '../../accounts/rights/roles.ts';
import { notificationChannels, severities } from '../../alerts/preferences/preference.settings.ts';
import type { ReadContext } from '../importer.ts';
import type { ImportedMember, ImportedNotifications } from '../imported-site.ts';
import { numberIn, objectIn, objectsIn, type SourceObject, textIn } from '../source-values.ts';

const roleIds: readonly RoleId[] = ['4', '5', '6'];

/** All but the owner: the account that imports owns the site. */
export function membersOf(users: unknown, title: string, { findings }: ReadContext): readonly ImportedMember[] {
  const members = new Map<string, ImportedMember>();
  for (const { email, role: held, isPayer, name } of objectsIn(users)) {
    if (isPayer === true) continue;
    const address = textIn(email).trim();
    const role = roleIds.find((one) => one === textIn(objectIn(held)['id'] ?? held));
    if (role !== undefined && address.includes('@')) members.set(address.toLowerCase(), { email: address, role: Number(role) });
    else findings.miss(title, `users: ${address || textIn(name) || 'a member'} has no address or no role that exists here`);
  }
  return [...members.values()];
}

/** Those of the account whose token reads them; they become those of the account that applies. */
export function notificationsOf(settings: SourceObject): ImportedNotifications {
  const severity = severities.find((one) => one === numberIn(settings['severity']));
  const channels = notificationChannels.flatMap((channel) => {
    const isOn = settings[channel];
    return typeof isOn === 'boolean' ? [[channel, isOn] as const] : [];
  });
  return { ...(severity !== undefined && { severity }), ...Object.fromEntries(channels) };
}

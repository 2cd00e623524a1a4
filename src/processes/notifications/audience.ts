import { maintenanceWithin } from '../../domain/maintenance/occurrences.ts';
import { defaultNotifications, type NotificationChannel, notificationChannels, type Severity } from '../../domain/preference/settings.ts';
import { type AccountRow, accountView } from '../../projections/read-models/account/account.view.ts';
import { type ChannelRow, channelView } from '../../projections/read-models/channel/channel.view.ts';
import { unlessParked, type Views } from '../../projections/views/views.ts';
import { maintenanceView } from '../../projections/read-models/maintenance/maintenance.view.ts';
import { preferenceView } from '../../projections/read-models/preference/preference.view.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';

export interface Recipient {
  readonly userId: number;
  readonly channel: NotificationChannel;
  readonly severity: Severity;
  /** Minutes after the first failing run. */
  readonly delay: number;
}

/** A window may be called off at any moment: nobody keeps quiet longer than this without looking again. */
const LOOK_AGAIN_MS = 60_000;

/** Who wants to hear of a project, and where: members whose channel is switched on and set up. */
export async function audienceOf(views: Views, projectId: string, mailIsOn: boolean): Promise<readonly Recipient[]> {
  const [project, preferences] = await Promise.all([views.get(projectView, projectId), views.get(preferenceView, projectId)]);
  const found = await Promise.all(
    (project?.members ?? []).map(async ({ userId }) => {
      const wanted = preferences?.byUser[String(userId)] ?? defaultNotifications;
      const key = String(userId);
      const [account, channels] = await Promise.all([unlessParked(views.get(accountView, key)), unlessParked(views.get(channelView, key))]);
      if (account === null) return [];
      const { severity } = wanted;
      // What cannot be read at the moment can be when the message goes out, and has to be.
      const delay = account === 'parked' ? 0 : account.notificationDelay;
      return notificationChannels
        .filter((channel) => wanted[channel] && isReachable(channel, account, channels, mailIsOn))
        .map((channel) => ({ userId, channel, severity, delay }));
    }),
  );
  return found.flat();
}

/** Why somebody who was to be told no longer is; null while nothing speaks against it. */
export async function spared(views: Views, projectId: string, userId: number, channel: NotificationChannel): Promise<string | null> {
  const [project, preferences] = await Promise.all([views.get(projectView, projectId), views.get(preferenceView, projectId)]);
  if (project === null) return 'the project is gone';
  if (!project.members.some((member) => member.userId === userId)) return 'no longer a member of the project';
  const wanted = preferences?.byUser[String(userId)] ?? defaultNotifications;
  return wanted[channel] ? null : 'switched off for this project';
}

/** Nobody gets mail who has not shown that the address is theirs (docs/spec/decisions.md#A8). */
function isReachable(
  channel: NotificationChannel,
  account: AccountRow | 'parked',
  channels: ChannelRow | null | 'parked',
  mailIsOn: boolean,
): boolean {
  if (channel === 'email') return mailIsOn && (account === 'parked' || account.confirmed);
  return channels === 'parked' || channels?.byChannel[channel] !== undefined;
}

/** Until when nobody is told of a project that is in maintenance: its end, or when to look again. Null when it is in none. */
export async function quietUntil(views: Views, projectId: string, now: number): Promise<number | null> {
  const row = await views.get(maintenanceView, projectId);
  const [first] = row === null ? [] : maintenanceWithin(row.windows, { from: now, to: now + LOOK_AGAIN_MS });
  return first !== undefined && first.from <= now ? first.to : null;
}

export const wants = ({ severity }: Pick<Recipient, 'severity'>, status: 'ok' | 'error' | 'timeout'): boolean =>
  status !== 'timeout' || severity === 3;

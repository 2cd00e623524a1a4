import { mutedUntil } from '../sender/delivery-rules.ts';
import { defaultNotifications, type NotificationChannel, notificationChannels, type Severity } from '../preferences/preference.settings.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type AccountRow, accountView } from '../../accounts/account.view.ts';
import { type ChannelRow, channelView } from '../channels/channel.view.ts';
import { preferenceView } from '../preferences/preference.view.ts';
import { projectView } from '../../projects/project.view.ts';
import { unlessParked, type Views } from '../../platform/read-models/views/views.ts';

export interface Recipient {
  readonly userId: number;
  readonly channel: NotificationChannel;
  readonly severity: Severity;
  /** Minutes after the first failing run. */
  readonly delay: number;
}

export interface Audience {
  readonly recipients: readonly Recipient[];
  /** The end of the project's maintenance window; 0 without one. */
  readonly notBefore: number;
}

/** The recipients of each project, cached for one batch of events: a thousand checks of one project may fail together. */
export class AudienceLookup {
  private readonly byProject = new Map<string, Promise<Audience>>();

  constructor(
    private readonly views: Views,
    private readonly parts: { readonly clock: Clock; readonly mailIsConfigured: boolean },
  ) {}

  /** Rejects with `KeyParked` while the project, its preferences or its maintenance windows cannot be read. */
  load(projectId: string): Promise<Audience> {
    const audience = this.byProject.get(projectId) ?? this.query(projectId);
    this.byProject.set(projectId, audience);
    return audience;
  }

  /** Whether security notices reach the account; of a parked account that is decided at delivery. */
  async hasConfirmedMail(userId: number): Promise<boolean> {
    if (!this.parts.mailIsConfigured) return false;
    const account = await unlessParked(this.views.get(accountView, String(userId)));
    return account === 'parked' || account?.confirmed === true;
  }

  private async query(projectId: string): Promise<Audience> {
    const now = this.parts.clock.now();
    const recipients = await recipientsOf(this.views, projectId, this.parts.mailIsConfigured);
    return { recipients, notBefore: (await mutedUntil(this.views, projectId, now)) ?? 0 };
  }
}

/** Members with a channel that is switched on for the project and set up. */
async function recipientsOf(views: Views, projectId: string, mailIsConfigured: boolean): Promise<readonly Recipient[]> {
  const [project, preferences] = await Promise.all([views.get(projectView, projectId), views.get(preferenceView, projectId)]);
  const found = await Promise.all(
    (project?.members ?? []).map(async ({ userId }) => {
      const wanted = preferences?.byUser[String(userId)] ?? defaultNotifications;
      const key = String(userId);
      const [account, channels] = await Promise.all([unlessParked(views.get(accountView, key)), unlessParked(views.get(channelView, key))]);
      if (account === null) return [];
      const { severity } = wanted;
      // A parked account is read again at delivery, which is when its address is needed.
      const delay = account === 'parked' ? 0 : account.notificationDelay;
      return notificationChannels
        .filter((channel) => wanted[channel] && isReachable(channel, account, channels, mailIsConfigured))
        .map((channel) => ({ userId, channel, severity, delay }));
    }),
  );
  return found.flat();
}

/** E-mail goes to confirmed addresses only (docs/spec/decisions.md#A8). */
function isReachable(
  channel: NotificationChannel,
  account: AccountRow | 'parked',
  channels: ChannelRow | null | 'parked',
  mailIsConfigured: boolean,
): boolean {
  if (channel === 'email') return mailIsConfigured && (account === 'parked' || account.confirmed);
  return channels === 'parked' || channels?.byChannel[channel] !== undefined;
}

export const acceptsSeverity = ({ severity }: Pick<Recipient, 'severity'>, status: 'ok' | 'error' | 'timeout'): boolean =>
  status !== 'timeout' || severity === 3;

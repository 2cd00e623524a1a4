import type { EntriesOf } from '../../kernel/catalogue.ts';
import type { Change } from '../../kernel/change.ts';
import type { NotificationChannel, Severity } from './preference.settings.ts';

/** Notification settings of members; in the project's stream. */
export interface PreferenceEvents {
  NotificationSeverityChanged: Change<Severity> & { readonly userId: number };
  NotificationChannelSwitched: Change<boolean> & { readonly userId: number; readonly channel: NotificationChannel };
}

export const preferenceEvents = {
  NotificationSeverityChanged: { version: 1 },
  NotificationChannelSwitched: { version: 1 },
} satisfies EntriesOf<PreferenceEvents>;

import { maintenanceWithin } from '../../projects/maintenance/occurrences.ts';
import { defaultNotifications, type NotificationChannel } from '../preferences/preference.settings.ts';
import { maintenanceView } from '../../projects/maintenance/maintenance.view.ts';
import { preferenceView } from '../preferences/preference.view.ts';
import { projectView } from '../../projects/project.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';

/** A maintenance window may be cancelled at any moment, so muting is decided again at least this often. */
const REVIEW_MS = 60_000;

/** The end of the maintenance window that mutes the project now, or when to check again; null when none does. */
export async function mutedUntil(views: Views, projectId: string, now: number): Promise<number | null> {
  const row = await views.get(maintenanceView, projectId);
  const [first] = row === null ? [] : maintenanceWithin(row.windows, { from: now, to: now + REVIEW_MS });
  return first !== undefined && first.from <= now ? first.to : null;
}

/** Why a recipient chosen earlier must not be notified any more; null when nothing changed. */
export async function reasonNotToSend(
  views: Views,
  projectId: string,
  userId: number,
  channel: NotificationChannel,
): Promise<string | null> {
  const [project, preferences] = await Promise.all([views.get(projectView, projectId), views.get(preferenceView, projectId)]);
  if (project === null) return 'the project was deleted';
  if (!project.members.some((member) => member.userId === userId)) return 'no longer a member of the project';
  const wanted = preferences?.byUser[String(userId)] ?? defaultNotifications;
  return wanted[channel] ? null : 'switched off for this project';
}

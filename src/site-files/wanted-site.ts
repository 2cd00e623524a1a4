import type { WantedArea } from '../projects/areas/area.settings.ts';
import type { CheckSettings } from '../projects/checks/check.settings.ts';
import type { NewWindow } from '../projects/maintenance/maintenance.decider.ts';
import type { ServiceObjective } from '../projects/objectives/objective.settings.ts';
import type { NotificationSettings } from '../alerts/preferences/preference.settings.ts';
import type { ProjectSettings } from '../projects/project.settings.ts';

/** Secrets without a value, by the paths of their fields: what is saved stays. */
interface Keeping {
  readonly keeps: readonly string[];
}

export interface WantedSiteCheck extends Keeping {
  readonly settings: CheckSettings;
}

export interface WantedSiteGroup extends Keeping {
  /** Whole, but for secrets that are kept. */
  readonly settings: WantedArea & { readonly name: string };
  readonly checks: readonly WantedSiteCheck[];
}

/** A project as a site file wants it. What is undefined stays as it is. */
export interface WantedSite {
  readonly settings: ProjectSettings;
  readonly groups: readonly WantedSiteGroup[];
  /** The notification settings of the account that applies the file. */
  readonly notifications: Partial<NotificationSettings> | undefined;
  /** Null when it has none. */
  readonly objective: ServiceObjective | null | undefined;
  readonly maintenance: readonly Omit<NewWindow, 'windowId'>[] | undefined;
}

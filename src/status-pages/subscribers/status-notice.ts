import type { IncidentState } from '../status-page.settings.ts';
import type { Repeat } from '../../projects/maintenance/maintenance.events.ts';

/** What the subscribers of a page are notified of. All of it is public on the page. */
export type StatusNotice =
  | {
      readonly about: 'incident';
      readonly incidentId: string;
      /** Whether this publishes it; else it is an update. */
      readonly isFirst: boolean;
      readonly title: string;
      readonly state: IncidentState;
      readonly text: string;
      /** Names of the items that it is about. */
      readonly names: readonly string[];
    }
  | {
      readonly about: 'planned' | 'cancelled';
      readonly windowId: string;
      readonly from: string;
      readonly to: string;
      readonly repeat: Repeat | null;
      readonly names: readonly string[];
    };

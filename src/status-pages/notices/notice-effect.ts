import { type LogEventOf, upcast } from '../../events.ts';
import type { IncidentEvents } from '../incident.events.ts';
import type { MaintenanceEvents } from '../../projects/maintenance/maintenance.events.ts';
import { projectIdOf } from '../../kernel/stream-names.ts';
import type { LogEvent } from '../../kernel/event.ts';

/** What an event means for the subscribers of status pages. */
export type NoticeEffect =
  | { readonly kind: 'incident'; readonly incident: IncidentEvents['IncidentPublished'] }
  | { readonly kind: 'update'; readonly update: IncidentEvents['IncidentUpdated'] }
  | { readonly kind: 'planned'; readonly projectId: string; readonly window: MaintenanceEvents['MaintenanceScheduled'] }
  | { readonly kind: 'cancelled'; readonly projectId: string; readonly windowId: string; readonly at: string }
  | { readonly kind: 'deleted'; readonly pageId: string };

type HandledType = 'IncidentPublished' | 'IncidentUpdated' | 'MaintenanceScheduled' | 'MaintenanceCancelled' | 'StatusPageDeleted';

const handlers: { readonly [Type in HandledType]: (event: LogEventOf<Type>) => NoticeEffect | null } = {
  IncidentPublished: ({ data }) => ({ kind: 'incident', incident: data }),
  IncidentUpdated: ({ data }) => ({ kind: 'update', update: data }),
  // Work that is recorded after it began was not planned.
  MaintenanceScheduled: ({ scope, recordedAt, data }) =>
    Date.parse(data.from) <= Date.parse(recordedAt) ? null : { kind: 'planned', projectId: projectIdOf(scope), window: data },
  MaintenanceCancelled: ({ scope, data: { windowId, at } }) => ({ kind: 'cancelled', projectId: projectIdOf(scope), windowId, at }),
  StatusPageDeleted: ({ data: { pageId } }) => ({ kind: 'deleted', pageId }),
};

/** Null when it means nothing, or cannot be read; the notifications report what cannot be read. */
export function noticeEffectOf(event: LogEvent): NoticeEffect | null {
  if (!Object.hasOwn(handlers, event.type)) return null;
  try {
    // The table's key and the event's type agree; the compiler cannot follow that through the lookup.
    return (handlers[event.type as HandledType] as (event: LogEvent) => NoticeEffect | null)(upcast(event));
  } catch {
    return null;
  }
}

import type { ImportedDays } from './imported-uptime.events.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';

export interface ImportedUptimeRow extends ImportedDays {
  readonly importedAt: string;
  /** Id of the event. */
  readonly event: string;
}

/** A row while a project has figures of another product. */
export const importedUptimeView = defineView<ImportedUptimeRow>()({
  name: 'imported_uptime',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: {
    UptimeImported: (_, { id, recordedAt, data }) => ({ ...data, importedAt: recordedAt, event: id }),
    ImportedUptimeRemoved: () => null,
    ProjectDeleted: () => null,
  },
});

import { defineView, integer, scopeId } from 'watchledger/projection';

export interface Titles {
  readonly title: string;
  readonly renamed: number;
}

/** One document for each project: its title, and how often it changed. */
export default defineView<Titles>()({
  name: 'titles',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: {
    ProjectCreated: (_, event) => ({ title: event.data.settings.title, renamed: 0 }),
    ProjectRenamed: (row, event) => ({ title: event.data.to, renamed: (row?.renamed ?? 0) + 1 }),
    ProjectDeleted: () => null,
  },
  columns: { renamed: integer((row: Titles) => row.renamed) },
});

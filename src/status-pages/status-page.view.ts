import { type RoleId, roles } from '../accounts/rights/roles.ts';
import { isWider, type StatusPageSettings, type StoredStatusPage } from './status-page.settings.ts';
import type { Sealed } from '../kernel/event.ts';
import { integerColumn, textColumn } from '../platform/read-models/authoring/columns.ts';
import { defineView } from '../platform/read-models/authoring/define-view.ts';
import { settingsTag } from '../platform/commands/settings-tag.ts';
import { existing, type Thing, thingRow } from '../platform/http/conditions/thing.ts';
import { type StatusPages, statusPageSettingsOf } from './status-page.decider.ts';

export interface StatusPageRow {
  readonly pageId: string;
  readonly settings: StatusPageSettings;
  /** The hash of the password, sealed; null: it has none. */
  readonly password: Sealed | null;
  /** The account that is responsible for it: the page shows what it may edit. */
  readonly by: number;
  /** The host names at which it stands by itself. */
  readonly hosts: readonly string[];
  readonly createdAt: string;
  /** When its access last became wider, and the `n` of that event: what was said before was said to fewer readers. */
  readonly openedAt: string;
  readonly openedN: number;
  readonly changedAt: string;
  /** The `n` of the last event. */
  readonly changedN: number;
  /** The `n` of its creation. */
  readonly order: number;
}

const settingsOf = ({ slug, title, access, languages, groups, words, colors, automatic }: StoredStatusPage): StatusPageSettings => ({
  slug,
  title,
  access,
  languages,
  groups,
  words,
  colors,
  automatic,
});

/** The status pages of the installation, by id. */
export const statusPageView = defineView<StatusPageRow>()({
  name: 'status_page',
  version: 4,
  scope: 'system',
  key: ({ data }) => data.pageId,
  on: {
    StatusPageCreated: (_, { n, recordedAt, data }) => ({
      pageId: data.pageId,
      settings: settingsOf(data),
      password: data.password,
      by: data.by,
      hosts: [],
      createdAt: recordedAt,
      openedAt: recordedAt,
      openedN: n,
      changedAt: recordedAt,
      changedN: n,
      order: n,
    }),
    StatusPageChanged: (row, { n, recordedAt, data }) =>
      row && {
        ...row,
        settings: settingsOf(data),
        password: data.password,
        by: data.by,
        ...(isWider(data.access, row.settings.access) && { openedAt: recordedAt, openedN: n }),
        changedAt: recordedAt,
        changedN: n,
      },
    StatusPageHostsSet: (row, { n, recordedAt, data }) => row && { ...row, hosts: data.hosts, changedAt: recordedAt, changedN: n },
    StatusPageDeleted: () => null,
  },
  columns: {
    slug: textColumn(({ settings }: StatusPageRow) => settings.slug),
    hosted: textColumn(({ hosts }: StatusPageRow) => (hosts.length > 0 ? 'yes' : null)),
    order: integerColumn(({ order }: StatusPageRow) => order),
  },
});

interface MembersOfProject {
  readonly members: readonly { readonly userId: number; readonly role: RoleId }[];
}

/** The account that is responsible for a page may edit the project: a member who has left publishes nothing of it any more. */
export const mayPublish = (project: MembersOfProject | undefined, by: number): boolean => {
  const role = project?.members.find(({ userId }) => userId === by)?.role;
  return role !== undefined && roles[role].permissions.includes('edit');
};

/** `hasPassword`: no tag depends on the password itself. */
const statusPageTag = (pageId: string, settings: StatusPageSettings, hasPassword: boolean): string =>
  settingsTag('statusPage', pageId, { settings, hasPassword });

export function statusPageTagIn(pageId: string, pages: StatusPages): string | null {
  const page = pages.get(pageId);
  return page === undefined ? null : statusPageTag(pageId, statusPageSettingsOf(page), page.password !== null);
}

export const statusPageRowTag = (row: StatusPageRow): string => statusPageTag(row.pageId, row.settings, row.password !== null);

export const statusPageThing: Thing = {
  name: 'statusPage',
  row: ({ pageId }) => thingRow(statusPageView, pageId, existing(statusPageRowTag)),
};

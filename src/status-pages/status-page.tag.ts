import { settingsTag } from '../platform/commands/settings-tag.ts';
import { existing, type Thing, thingRow } from '../platform/http/conditions/thing.ts';
import { type StatusPages, statusPageSettingsOf } from './status-page.decider.ts';
import type { StatusPageSettings } from './status-page.settings.ts';
import { type StatusPageRow, statusPageView } from './status-page.view.ts';

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

import type { RedirectEvents } from './redirect.events.ts';
import type { RedirectStatus } from './redirect-status.ts';
import { textColumn } from '../../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';

export interface RedirectRow {
  readonly status: RedirectStatus;
  /** The http url that was requested; says nothing about another url. */
  readonly url: string;
  readonly finalUrl: string | null;
  readonly since: string;
}

const found =
  (status: RedirectRow['status']) =>
  (_: RedirectRow | null, { data }: { readonly data: RedirectEvents[keyof RedirectEvents] }): RedirectRow => ({
    status,
    url: data.url,
    finalUrl: data.finalUrl,
    since: data.at,
  });

export const redirectView = defineView<RedirectRow>()({
  name: 'redirect',
  version: 2,
  scope: 'project',
  key: scopeId,
  on: {
    RedirectVerified: found('ok'),
    RedirectFailed: found('failed'),
    RedirectUnreachable: found('unreachable'),
    ProjectDeleted: () => null,
  },
  columns: { failing: textColumn(({ status }: RedirectRow) => (status === 'ok' ? null : 'failing')) },
});

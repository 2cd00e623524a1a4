import { defaultNotifications } from '../alerts/preferences/preference.settings.ts';
import {
  accountTag,
  areaTag,
  badgeTag,
  channelTag,
  checkTag,
  destinationTag,
  maintenanceTag,
  type MatchedThing,
  notificationsTag,
  objectiveTag,
  projectTag,
  statusPageTag,
  serviceAccountTag,
  usersTag,
} from './settings-tags.ts';
import { INSTALLATION, type View } from '../platform/read-models/authoring/define-view.ts';
import { type AccountRow, accountView } from '../accounts/account.view.ts';
import { areaView } from '../projects/areas/area.view.ts';
import { type BadgeRow, badgeView } from '../overview/badge/badge.view.ts';
import { type ChannelRow, channelView } from '../alerts/channels/channel.view.ts';
import { checkView } from '../projects/checks/check.view.ts';
import { destinationView, type DestinationsRow, installationDestinationView } from '../streams/destinations/destination.view.ts';
import { type MaintenanceRow, maintenanceView } from '../projects/maintenance/maintenance.view.ts';
import { type ObjectiveRow, objectiveView } from '../projects/objectives/objective.view.ts';
import { type PreferenceRow, preferenceView } from '../alerts/preferences/preference.view.ts';
import { projectView } from '../projects/project.view.ts';
import { type StatusPageRow, statusPageView } from '../status-pages/status-page.view.ts';
import {
  installationServiceAccountView,
  type ServiceAccountsRow,
  serviceAccountView,
} from '../projects/service-accounts/service-account.view.ts';

/** The ids by which a request names a thing: of its path, and of its caller. */
export interface ThingIds {
  readonly projectId: string;
  readonly checkId: string;
  readonly areaId: string;
  readonly userId: number;
  readonly channel: string;
  readonly pageId: string;
  readonly serviceAccountId: string;
  readonly destinationId: string;
}

/** Where the settings of a thing stand in the read models. */
export interface ThingRow {
  readonly view: View;
  readonly key: string;
  /** Of the row; null where the thing does not exist. */
  readonly tag: (row: object | null) => string | null;
}

// Cast: the engine gives `tag` rows of this view.
const rowOf = <Row extends object>(view: View<Row>, key: string, tag: (row: Row | null) => string | null): ThingRow => ({
  view,
  key,
  tag: tag as ThingRow['tag'],
});

const existing =
  <Row>(tag: (row: Row) => string) =>
  (row: Row | null): string | null =>
    row && tag(row);

const maintenanceRowTag = (projectId: string, row: MaintenanceRow | null): string => maintenanceTag(projectId, row?.windows ?? []);

export const objectiveRowTag = (projectId: string, row: ObjectiveRow | null): string => objectiveTag(projectId, row);

const notificationsRowTag = (projectId: string, userId: number, row: PreferenceRow | null): string =>
  notificationsTag(projectId, userId, row?.byUser[String(userId)] ?? defaultNotifications);

export const badgeRowTag = (projectId: string, row: BadgeRow | null): string => badgeTag(projectId, row?.serial ?? null);

export const emailChannelTag = (userId: number, row: AccountRow): string => channelTag(userId, 'email', row.notificationEmail);

export const channelRowTag = (userId: number, channel: string, row: ChannelRow | null): string =>
  channelTag(userId, channel, Object.entries(row?.byChannel ?? {}).find(([name]) => name === channel)?.[1].values ?? null);

export const statusPageRowTag = (row: StatusPageRow): string => statusPageTag(row.pageId, row.settings, row.password !== null);

/** The row of a thing, and the tag of its settings. */
export function rowOfThing(thing: MatchedThing, ids: ThingIds): ThingRow {
  const { projectId, checkId, areaId, userId, channel, pageId } = ids;
  const account = String(userId);
  switch (thing) {
    case 'project':
      return rowOf(
        projectView,
        projectId,
        existing(({ settings }) => projectTag(projectId, settings)),
      );
    case 'users':
      return rowOf(
        projectView,
        projectId,
        existing((row) => usersTag(projectId, row)),
      );
    case 'test':
      return rowOf(
        checkView,
        checkId,
        existing((row) => checkTag(checkId, row)),
      );
    case 'area':
      return rowOf(
        areaView,
        areaId,
        existing(({ settings }) => areaTag(areaId, settings)),
      );
    case 'objective':
      return rowOf(objectiveView, projectId, (row) => objectiveRowTag(projectId, row));
    case 'maintenance':
      return rowOf(maintenanceView, projectId, (row) => maintenanceRowTag(projectId, row));
    case 'notifications':
      return rowOf(preferenceView, projectId, (row) => notificationsRowTag(projectId, userId, row));
    case 'badge':
      return rowOf(badgeView, projectId, (row) => badgeRowTag(projectId, row));
    case 'statusPage':
      return rowOf(statusPageView, pageId, existing(statusPageRowTag));
    case 'account':
      return rowOf(
        accountView,
        account,
        existing((row) => accountTag(userId, row)),
      );
    case 'channel':
      return channel === 'email'
        ? rowOf(
            accountView,
            account,
            existing((row) => emailChannelTag(userId, row)),
          )
        : rowOf(channelView, account, (row) => channelRowTag(userId, channel, row));
    case 'destination':
      return rowOfDestination(ids);
    case 'serviceAccount':
      return rowOfServiceAccount(ids);
  }
}

function rowOfDestination({ projectId, destinationId }: ThingIds): ThingRow {
  const tag = (row: DestinationsRow | null): string | null => {
    const destination = row?.destinations.find((one) => one.destinationId === destinationId);
    return destination === undefined ? null : destinationTag(destinationId, destination);
  };
  return projectId === '' ? rowOf(installationDestinationView, INSTALLATION, tag) : rowOf(destinationView, projectId, tag);
}

/** Without a project it is one of the installation. */
function rowOfServiceAccount({ projectId, serviceAccountId }: ThingIds): ThingRow {
  const tag = (row: ServiceAccountsRow | null): string | null => {
    const account = row?.accounts.find(({ id }) => id === serviceAccountId);
    return account === undefined ? null : serviceAccountTag(serviceAccountId, account);
  };
  return projectId === '' ? rowOf(installationServiceAccountView, INSTALLATION, tag) : rowOf(serviceAccountView, projectId, tag);
}

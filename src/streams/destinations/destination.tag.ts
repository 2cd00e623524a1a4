import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import { INSTALLATION } from '../../platform/read-models/authoring/define-view.ts';
import type { Destinations } from './destination.decider.ts';
import type { DestinationSettings } from './destination.settings.ts';
import { destinationView, type DestinationsRow, installationDestinationView } from './destination.view.ts';

/** Addresses and secrets are sealed. */
export const destinationTag = (destinationId: string, { kind, name, host, values, filter }: DestinationSettings): string =>
  settingsTag('destination', destinationId, { kind, name, host, values, filter });

export function destinationTagIn(destinationId: string, destinations: Destinations): string | null {
  const destination = destinations.get(destinationId);
  return destination === undefined ? null : destinationTag(destinationId, destination);
}

/** Without a project it is one of the installation. */
export const destinationThing: Thing = {
  name: 'destination',
  row: ({ projectId, destinationId }) => {
    const tag = (row: DestinationsRow | null): string | null => {
      const destination = row?.destinations.find((one) => one.destinationId === destinationId);
      return destination === undefined ? null : destinationTag(destinationId, destination);
    };
    return projectId === '' ? thingRow(installationDestinationView, INSTALLATION, tag) : thingRow(destinationView, projectId, tag);
  },
};

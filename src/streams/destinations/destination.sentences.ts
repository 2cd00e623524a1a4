import { type Sentences, shown } from '../../kernel/sentence.ts';
import type { DestinationEvents } from './destination.events.ts';

export const destinationSentences = {
  DestinationAdded: ({ name, host, after }) => `Destination ${shown(name)} at ${host} added, for events after ${String(after)}`,
  DestinationChanged: ({ name, host }) => `Destination ${shown(name)} at ${host} changed`,
  DestinationPaused: ({ destinationId, reason }) => `Destination ${destinationId} paused: ${reason}`,
  DestinationResumed: ({ destinationId }) => `Destination ${destinationId} resumed`,
  DestinationReplayed: ({ destinationId, after, scope }) =>
    `Destination ${destinationId} replays events${scope === null ? '' : ` of ${scope}`} after ${String(after)}`,
  DestinationRemoved: ({ name }) => `Destination ${shown(name)} removed`,
} satisfies Sentences<DestinationEvents>;

import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import type { EventOf } from '../../kernel/event.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import type { Access, AccessEvents } from './access.events.ts';

type AccessEvent = EventOf<AccessEvents>;

/** What of a month is recorded, and what is counted. */
export interface RecordedAccesses {
  readonly recorded: ReadonlySet<string>;
  readonly counted: ReadonlySet<string>;
}

const keyOf = ({ kind, day, tokenId }: Access): string => `${day} ${kind} ${tokenId}`;

const recordedAccesses: Decider<RecordedAccesses, AccessEvent> = {
  initial: { recorded: new Set(), counted: new Set() },
  evolve: (state, event) => {
    switch (event.type) {
      case 'RecordAccessed':
        return { ...state, recorded: new Set(state.recorded).add(keyOf(event.data)) };
      case 'RecordAccessesCounted':
        return { ...state, counted: new Set(state.counted).add(keyOf(event.data)) };
      default:
        return ignoreUnknownEvent(event, state);
    }
  },
};

/** A stream per project and month bounds its length. */
const accessesStream = (projectId: string, day: string): string => `accesses-${projectId}-${day.slice(0, 7)}`;

export const accessesTarget = ({ projectId, day }: Access) => ({
  stream: accessesStream(projectId ?? 'system', day),
  scope: projectId === null ? 'system' : projectStream(projectId),
  decider: recordedAccesses,
});

/** Once a day per token and kind. */
export const recordAccess = ({ recorded }: RecordedAccesses, data: Access): readonly AccessEvent[] =>
  recorded.has(keyOf(data)) ? [] : [{ type: 'RecordAccessed', data }];

/** Once a day per token and kind; one read needs no count. */
export const countAccesses = ({ counted }: RecordedAccesses, data: AccessEvents['RecordAccessesCounted']): readonly AccessEvent[] =>
  data.count < 2 || counted.has(keyOf(data)) ? [] : [{ type: 'RecordAccessesCounted', data }];

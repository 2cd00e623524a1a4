import type { EntriesOf } from '../../kernel/catalogue.ts';
import type { DestinationSettings, PauseReason } from './destination.settings.ts';

/** Event destinations: of a project in its stream, of the installation in a stream of their own. */
export interface DestinationEvents {
  DestinationAdded: DestinationSettings & {
    readonly destinationId: string;
    /** Only events after this position are pushed. */
    readonly after: number;
    /** The account that is responsible for it: events are pushed as long as it has the right to name destinations. */
    readonly by: number;
  };
  /** The settings after the change. What is parked is retried. */
  DestinationChanged: DestinationSettings & { readonly destinationId: string; readonly by: number };
  DestinationPaused: { readonly destinationId: string; readonly reason: PauseReason };
  /** A destination that is not paused is resumed, too: what is parked is retried. */
  DestinationResumed: { readonly destinationId: string; readonly by: number };
  /** Events after the position `after` are pushed again. */
  DestinationReplayed: {
    readonly destinationId: string;
    readonly after: number;
    /** The one project or account that a destination of the installation replays; null for all. */
    readonly scope: string | null;
    readonly by: number;
  };
  DestinationRemoved: { readonly destinationId: string; readonly name: string };
}

export const destinationEvents = {
  DestinationAdded: { version: 1 },
  DestinationChanged: { version: 1 },
  DestinationPaused: { version: 1 },
  DestinationResumed: { version: 1 },
  DestinationReplayed: { version: 1 },
  DestinationRemoved: { version: 1 },
} satisfies EntriesOf<DestinationEvents>;

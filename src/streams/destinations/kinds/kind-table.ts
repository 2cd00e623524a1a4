import type { DestinationKind } from '../destination.settings.ts';
import type { Kind } from './destination-kind.ts';
import { webhookDestination } from './webhook.destination.ts';

/** A new kind of destination is a file and a row here. */
export const kinds: Readonly<Record<DestinationKind, Kind>> = { webhook: webhookDestination };

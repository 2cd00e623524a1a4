import type { AppendPosition } from '../../event-store/event-store.ts';
import type { Reads } from '../idempotency/reads.ts';
import type { RequestContext } from './request-context.ts';

/** Gathers where a request wrote, and waits until every read shows it. */
export function requestWrites(reads: Reads): Pick<RequestContext, 'wrote' | 'visible'> {
  const places: AppendPosition[] = [];
  return {
    wrote: (place) => places.push(place),
    visible: async () => {
      for (const place of places.splice(0)) await reads.show(place);
    },
  };
}

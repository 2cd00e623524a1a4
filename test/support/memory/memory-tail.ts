import type { Tail } from '../../../src/platform/observations/packs/pack-tail.ts';

/** What was read of each project, as a tail. */
export function memoryTail<Item extends { readonly at: number }>(read: Map<string, readonly Item[]>): Tail<Item> {
  return {
    between: (projectId, from, to) => (read.get(projectId) ?? []).filter(({ at }) => at >= from && at < to),
    forget: (projectId) => {
      read.delete(projectId);
    },
  };
}

import { MemoryViews } from '../../../test/support/memory-views.ts';
import { MemoryEventStore } from '../../event-store/memory/memory-event-store.ts';
import { MemoryRuns } from '../../observations/memory/memory-runs.ts';
import { undecidedContract } from './undecided.contract.ts';

undecidedContract(() => {
  const store = new MemoryEventStore();
  return Promise.resolve({
    store,
    runs: new MemoryRuns(() => true),
    events: () => Promise.resolve(store.events),
    views: () => Promise.resolve(new MemoryViews(() => store.events)),
  });
});

import { LocalWake } from '../persistence/wake.ts';
import { MemoryEventStore } from '../event-store/memory/memory-event-store.ts';
import { systemClock } from '../kernel/clock.ts';
import { logContract } from './log.contract.ts';
import { MemoryLog } from './memory-log.ts';

logContract('memory', () => {
  const wake = new LocalWake();
  const store = new MemoryEventStore(systemClock, wake);
  return Promise.resolve({ store, log: new MemoryLog(store, wake), close: () => store.close() });
});

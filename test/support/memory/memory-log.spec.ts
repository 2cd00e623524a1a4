import { LocalWake } from '../../../src/platform/postgres/wake.ts';
import { MemoryEventStore } from './memory-event-store.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { logContract } from '../../../src/platform/log/log.contract.ts';
import { MemoryLog } from './memory-log.ts';

logContract('memory', () => {
  const wake = new LocalWake();
  const store = new MemoryEventStore(systemClock, wake);
  return Promise.resolve({ store, log: new MemoryLog(store, wake), close: () => store.close() });
});

import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Destination } from './destination.ts';
import type { PushSchedule } from './push-schedule.ts';
import type { PushStore } from './push-store.ts';

interface InstallationScanParts {
  readonly store: PushStore;
  readonly log: Pick<Log, 'read'>;
  readonly schedule: PushSchedule;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
  /** Called when there may be something to push. */
  readonly onFound: () => void;
}

const PAGE = 1_000;
/** A scan that finds nothing is stored only this often: to scan again is harmless. */
const STORE_EVERY = 5_000;

/** Finds out, for destinations of the installation, which scopes have events to push. */
export class InstallationScan {
  /** Up to here events were offered. */
  private head = -1;
  private readonly running = new Set<Promise<void>>();
  private isStopped = false;

  constructor(private readonly parts: InstallationScanParts) {}

  /** Events right after those before. A destination that is far behind reads the log by itself and delays no other. */
  async offer(destinations: readonly Destination[], batch: readonly LogEvent[]): Promise<void> {
    const [first, last] = [batch[0], batch.at(-1)];
    if (first === undefined || last === undefined) return;
    this.head = last.n;
    for (const destination of destinations) {
      if (destination.isScanning) continue;
      if (destination.scanned >= first.n - 1) await this.note(destination, batch);
      else this.catchUp(destination);
    }
  }

  /** Scans in the background, up to the events that were offered. */
  catchUp(destination: Destination, head = this.head): void {
    this.head = Math.max(this.head, head);
    if (destination.isScanning) return;
    destination.isScanning = true;
    const run = this.read(destination)
      .catch(this.parts.report)
      .finally(() => {
        destination.isScanning = false;
        this.running.delete(run);
        this.parts.onFound();
      });
    this.running.add(run);
  }

  /** Waits for what runs in the background, which `stop` ends. */
  async drain(): Promise<void> {
    await Promise.all(this.running);
  }

  stop(): void {
    this.isStopped = true;
  }

  private async read(destination: Destination): Promise<void> {
    while (destination.scanned < this.head && !this.isStopped && this.parts.schedule.has(destination)) {
      const page = await this.parts.log.read({ after: destination.scanned, until: this.head, limit: PAGE });
      if (page.length === 0) return;
      await this.note(destination, page);
      this.parts.onFound();
    }
  }

  private async note(destination: Destination, events: readonly LogEvent[]): Promise<void> {
    const { store, schedule, now } = this.parts;
    const { scanReplay: replay, id: destinationId, start } = destination;
    const latest = new Map<string, number>();
    for (const event of events) if (event.n > destination.scanned && destination.wants(event)) latest.set(event.scope, event.n);
    const found = [...latest].map(([scope, n]) => ({ destinationId, scope, latest: n, ...start }));
    const rows = found.length === 0 ? [] : await store.add(found);
    for (const row of rows) {
      const partition = destination.put(row);
      if (partition.row.latest > partition.row.position) schedule.wake(partition, now());
    }
    const scanned = events.at(-1)?.n ?? destination.scanned;
    if (rows.length > 0 || scanned - destination.scanStored >= STORE_EVERY) {
      await store.scanned({ destinationId, scanned, replay });
      destination.scanStored = scanned;
    }
    // A replay in between begins anew.
    if (destination.scanReplay === replay) destination.scanned = Math.max(destination.scanned, scanned);
  }
}

import { upcast } from '../../events.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../platform/log/log.ts';
import { INSTALLATION } from '../../platform/read-models/authoring/define-view.ts';
import { type DestinationsRow, destinationView, installationDestinationView } from './destination.view.ts';
import type { ViewsAt } from '../../platform/read-models/views/views.ts';
import { Destination } from './destination.ts';
import type { PartitionRow, PushStore } from './push-store.ts';
import type { PushSchedule } from './push-schedule.ts';

interface DestinationSetParts {
  readonly store: PushStore;
  readonly log: Pick<Log, 'read' | 'head'>;
  readonly views: ViewsAt;
  readonly schedule: PushSchedule;
  readonly now: () => number;
}

const PAGE = 2_000;

/**
 * All destinations, folded from the log, which may be ahead of the read models: what an operator asks of them takes effect in the order of the log, once,
 * because each partition notes the position of the last such event.
 */
export class DestinationSet {
  private readonly rows = new Map<string, DestinationsRow>();
  private readonly byOwner = new Map<string, readonly Destination[]>();
  private installation: readonly Destination[] = [];
  private count = 0;

  constructor(private readonly parts: DestinationSetParts) {}

  /** Answers the position up to which it is complete. */
  async open(): Promise<number> {
    const { views, log, store } = this.parts;
    const head = await log.head();
    await store.cutTo(head);
    let position = await views.snapshot(async (now) => {
      for (const view of [destinationView, installationDestinationView])
        for (const { key, row } of await now.list(view, { parked: 'as before' })) this.rows.set(key, row);
      return now.position();
    });
    const stored = new Map<string, PartitionRow[]>();
    for (const row of await store.all()) {
      const known = stored.get(row.destinationId);
      if (known === undefined) stored.set(row.destinationId, [row]);
      else known.push(row);
    }
    const scans = new Map((await store.scans()).map((scan) => [scan.destinationId, scan]));
    // The read models may be behind an event that the former owner of the lease has seen.
    while (position < head) {
      const page = await log.read({ after: position, until: head, limit: PAGE });
      for (const event of page) this.fold(event);
      position = page.at(-1)?.n ?? head;
    }
    for (const [key, row] of this.rows) {
      for (const settings of row.destinations) {
        const destination = this.newDestination(key, settings);
        for (const partition of stored.get(destination.id) ?? []) destination.put(partition);
        const scan = scans.get(destination.id);
        if (scan !== undefined) Object.assign(destination, { scanned: scan.scanned, scanStored: scan.scanned, scanReplay: scan.replay });
        await this.begin(destination);
      }
    }
    await store.keepOnly([...this.all()].map(({ id }) => id));
    return Math.max(head, position);
  }

  *all(): Generator<Destination> {
    for (const destinations of this.byOwner.values()) yield* destinations;
    yield* this.installation;
  }

  get ofInstallation(): readonly Destination[] {
    return this.installation;
  }

  ofScope(scope: string): readonly Destination[] {
    return this.byOwner.get(scope) ?? [];
  }

  /** An event of the log, in its order. */
  async apply(event: LogEvent): Promise<void> {
    const key = this.fold(event);
    if (key === null) return;
    const before = key === INSTALLATION ? this.installation : this.ofScope(projectStream(key));
    const wanted = this.rows.get(key)?.destinations ?? [];
    for (const destination of before) {
      const settings = wanted.find(({ destinationId }) => destinationId === destination.id);
      if (settings === undefined) await this.end(key, destination);
      else {
        destination.settings = settings;
        await this.begin(destination);
      }
    }
    const added = wanted.filter(({ destinationId }) => !before.some(({ id }) => id === destinationId));
    for (const settings of added) {
      await this.begin(this.newDestination(key, settings));
    }
  }

  /** The key of the row that changed, null: none. */
  private fold(given: LogEvent): string | null {
    const view = given.scope === 'system' ? installationDestinationView : destinationView;
    if (!view.handles.has(given.type)) return null;
    const event = upcast(given);
    const key = view.key(event);
    if (key === null) return null;
    const row = view.evolve(this.rows.get(key) ?? null, event);
    if (row === null) this.rows.delete(key);
    else this.rows.set(key, row);
    return key;
  }

  private newDestination(key: string, settings: DestinationsRow['destinations'][number]): Destination {
    const destination = new Destination(this.count++, key === INSTALLATION ? null : key, settings);
    if (destination.owner === null) this.installation = [...this.installation, destination];
    else {
      const scope = projectStream(destination.owner);
      this.byOwner.set(scope, [...this.ofScope(scope), destination]);
    }
    this.parts.schedule.add(destination);
    return destination;
  }

  /** Brings the stored positions up to what was asked, and plans what may have to be pushed. */
  private async begin(destination: Destination): Promise<void> {
    const { store, schedule, now } = this.parts;
    if (destination.owner !== null && destination.partitions.size === 0) {
      const scope = projectStream(destination.owner);
      const added = { destinationId: destination.id, scope, latest: -1, ...destination.start };
      for (const row of await store.add([added])) destination.put(row);
    }
    const { position, replay } = destination.start;
    if (destination.scanReplay !== replay) Object.assign(destination, { scanned: position, scanReplay: replay });
    for (const control of destination.controls) {
      const isNew = [...destination.partitions.values()].some(
        ({ row }) => (control.scope ?? row.scope) === row.scope && row.control < control.n,
      );
      if (!isNew) continue;
      for (const row of await store.control(destination.id, control)) destination.put(row).readyAt = 0;
      destination.circuit.close();
    }
    for (const partition of destination.partitions.values())
      if (destination.owner !== null || partition.row.latest > partition.row.position) schedule.wake(partition, now());
  }

  private async end(key: string, destination: Destination): Promise<void> {
    this.parts.schedule.remove(destination);
    if (key === INSTALLATION) this.installation = this.installation.filter((other) => other !== destination);
    else {
      const scope = projectStream(key);
      const left = this.ofScope(scope).filter((other) => other !== destination);
      if (left.length > 0) this.byOwner.set(scope, left);
      else this.byOwner.delete(scope);
    }
    await this.parts.store.remove(destination.id);
  }
}

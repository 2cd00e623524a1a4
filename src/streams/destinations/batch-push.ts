import type { SealGrowth } from './carried-seal.ts';
import type { PauseReason } from './destination.settings.ts';
import { roles, serviceNumber, type ServiceRole } from '../../accounts/rights/roles.ts';
import type { Log } from '../../platform/log/log.ts';
import { accountView } from '../../accounts/account.view.ts';
import { type ProjectRow, projectView } from '../../projects/project.view.ts';
import { serviceAccountsIn } from '../../projects/service-accounts/service-account.view.ts';
import { unlessParked, type Views, type ViewsAt } from '../../platform/read-models/views/views.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import type { DecryptedChannelSettings, Transports } from '../../alerts/channels/channel.ts';
import { maskSecrets } from '../../alerts/sender/address-book.ts';
import { extendedDeadline, nextAttemptAt } from '../../platform/outbox/outbox-relay.ts';
import { composeBatch, type EventPresenter } from './batch.ts';
import type { Destination, Partition } from './destination.ts';
import type { PushOutcome } from './kinds/destination-kind.ts';
import { kinds } from './kinds/kind-table.ts';
import type { PartitionRow, PushStore } from './push-store.ts';

/** Counts what is pushed. */
export interface PushMeter {
  delivered(events: number): void;
  failed(isParked: boolean): void;
}

export interface BatchPushParts {
  readonly store: PushStore;
  readonly log: Pick<Log, 'read'>;
  readonly views: ViewsAt;
  readonly keyring: Pick<Keyring, 'open'>;
  readonly transports: Pick<Transports, 'post' | 'now'>;
  readonly presenter: EventPresenter;
  readonly seal: SealGrowth;
  /** Appends the event that the destination is paused. */
  readonly pause: (destination: Destination, reason: PauseReason) => Promise<void>;
  readonly meter: PushMeter;
  readonly now: () => number;
  readonly random: () => number;
}

export const MOST_EVENTS = 100;
/** Bounds the data of a batch, because the answer to a request is waited for ten seconds. */
const MOST_BYTES = 512 * 1024;
/** How long a batch is retried before its scope is parked. */
const WINDOW_MS = 72 * 3_600_000;
/** Delay until rights that cannot be read are read again. */
const UNKNOWN_MS = 5_000;
const RIGHT_MS = 1_000;

/** `more`: there may be further events. */
export type PushResult = 'more' | 'nothing' | 'failed';

interface FailedAttempt {
  readonly row: PartitionRow;
  readonly batchEnd: number;
  readonly startedAt: number;
  readonly outcome: Exclude<PushOutcome, { readonly kind: 'delivered' }>;
}

/** One attempt to push the next events of a scope: reads them from the log, sends them, and stores how far the receiver is. */
export class BatchPush {
  private readonly rights = new WeakMap<Destination, { readonly until: number; readonly by: number }>();

  constructor(private readonly parts: BatchPushParts) {}

  async push(partition: Partition): Promise<PushResult> {
    const { log, seal, presenter, now } = this.parts;
    const { destination, row } = partition;
    const right = await this.rightOf(destination);
    if (right === 'lost') await this.parts.pause(destination, 'right lost');
    if (right !== 'held') {
      partition.readyAt = now() + UNKNOWN_MS;
      return 'failed';
    }
    const { types } = destination.settings.filter;
    const events = await log.read({
      scope: row.scope,
      after: row.position,
      limit: MOST_EVENTS,
      bytes: MOST_BYTES,
      ...(row.batchEnd !== null && { until: row.batchEnd }),
      ...(types.length > 0 && { types }),
    });
    const last = events.at(-1);
    if (last === undefined) return 'nothing';
    const startedAt = now();
    const grown = await seal.since(row.seal);
    const batch = await composeBatch({ row, events, seal: grown?.seal ?? null, now: startedAt }, presenter);
    const outcome = await this.send(destination, batch);
    if (outcome.kind === 'delivered') {
      this.parts.meter.delivered(events.length);
      destination.circuit.close();
      partition.readyAt = 0;
      const stored = { to: last.n, answer: outcome.answer, now: now(), seal: grown?.now ?? row.seal };
      await this.keep(partition, await this.parts.store.delivered(row, stored));
      return 'more';
    }
    await this.fail(partition, { row, batchEnd: last.n, startedAt, outcome });
    return 'failed';
  }

  private async send(
    { settings: { kind, values } }: Destination,
    batch: { readonly id: string; readonly body: string },
  ): Promise<PushOutcome> {
    const settings = await openValues(this.parts.keyring, values);
    if (settings === null) return { kind: 'later', reason: 'its address cannot be read', afterMs: null };
    const outcome = await kinds[kind].deliver(settings, batch, this.parts.transports);
    if (outcome.kind === 'delivered') return { ...outcome, answer: maskSecrets(outcome.answer, settings) };
    return { ...outcome, reason: maskSecrets(outcome.reason, settings) };
  }

  /** Also after a 4xx or a redirect: a receiver is often mended within hours, and nothing may be left out. */
  private async fail(partition: Partition, { row, batchEnd, startedAt, outcome }: FailedAttempt): Promise<void> {
    const { store, meter, now, random } = this.parts;
    const { destination } = partition;
    const at = now();
    const afterMs = outcome.kind === 'later' ? outcome.afterMs : null;
    const giveUpAt = deadlineOf(row, startedAt);
    const isParked = at >= giveUpAt && outcome.kind !== 'gone';
    const nextTry = Math.min(Math.max(giveUpAt, at), nextAttemptAt(row.attempts + 1, afterMs, at, random()));
    destination.circuit.fail(at, afterMs, random());
    meter.failed(isParked);
    await this.keep(partition, await store.failed(row, { batchEnd, answer: outcome.reason, now: at, nextTry, giveUpAt, isParked }));
    if (outcome.kind === 'gone') await this.parts.pause(destination, 'receiver gone');
  }

  /** A null row means that a replay, or another instance, moved the scope meanwhile. */
  private async keep(partition: Partition, stored: PartitionRow | null): Promise<void> {
    const { destinationId, scope } = partition.row;
    const row = stored ?? (await this.parts.store.get(destinationId, scope));
    if (row !== null) partition.destination.put(row);
  }

  /** Events leave only in the name of an account that may name destinations today (docs/decisions/destinations.md). */
  private async rightOf(destination: Destination): Promise<'held' | 'lost' | 'unknown'> {
    const { by } = destination.settings;
    const known = this.rights.get(destination);
    const now = this.parts.now();
    if (known?.by === by && now < known.until) return 'held';
    const right = await this.readRight(destination);
    if (right === 'held') this.rights.set(destination, { until: now + RIGHT_MS, by });
    return right;
  }

  private async readRight({ owner, settings: { by } }: Destination): Promise<'held' | 'lost' | 'unknown'> {
    const views = this.parts.views.now();
    const project = owner === null ? null : await unlessParked(views.get(projectView, owner));
    // A null project was deleted, or is not in the read models yet.
    if (project === 'parked' || (owner !== null && project === null)) return 'unknown';
    const role = by < 0 ? await unlessParked(roleOfService(views, owner, by)) : await unlessParked(roleOfPerson(views, project, by));
    if (role === 'parked') return 'unknown';
    return role === 'admin' || (role !== null && role !== 'auditor' && roles[role].permissions.includes('edit')) ? 'held' : 'lost';
  }
}

/** Null when they were erased. */
export async function openValues(
  keyring: Pick<Keyring, 'open'>,
  values: Partition['destination']['settings']['values'],
): Promise<DecryptedChannelSettings | null> {
  const opened = await Promise.all(Object.entries(values).map(async ([name, sealed]) => [name, await keyring.open(sealed)] as const));
  const known = opened.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]));
  return known.length === opened.length ? Object.fromEntries(known) : null;
}

/** Only time in which it could be attempted counts. */
const deadlineOf = ({ giveUpAt, nextTry }: PartitionRow, now: number): number =>
  giveUpAt === null || nextTry === null ? now + WINDOW_MS : extendedDeadline({ giveUpAt, nextTry }, now).getTime();

/** Null when the service account of this number was deleted. */
async function roleOfService(views: Pick<Views, 'get'>, owner: string | null, number: number): Promise<ServiceRole | null> {
  return (await serviceAccountsIn(views, owner)).find(({ id }) => serviceNumber(id) === number)?.role ?? null;
}

async function roleOfPerson(views: Pick<Views, 'get'>, project: ProjectRow | null, userId: number): Promise<ServiceRole | null> {
  if (project === null) return (await views.get(accountView, String(userId)))?.systemRole ?? null;
  return project.members.find((member) => member.userId === userId)?.role ?? null;
}

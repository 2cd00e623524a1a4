import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { STOPPED_SECONDS } from '../../postgres/leases.ts';
import type { Wake } from '../../postgres/wake.ts';
import { DomainError } from '../../../kernel/errors.ts';
import { type ProcessEnds, type ProjectionSchema, type ProjectionSnapshot, readProjections } from './read-projections.ts';
import type { ViewUnit } from '../views/unit.ts';
import { CONTROL_TOPIC } from '../engine/lifecycle.ts';
import { isReplaySchema } from '../engine/schema-names.ts';
import { dropProjection } from '../engine/schemas.ts';

export interface ProjectionStatus {
  readonly name: string;
  readonly version: string;
  /** The core views are one unit: rebuilt together, never paused. */
  readonly core: boolean;
  /** `stopped`: no instance runs the projection of a team. */
  readonly state: 'live' | 'building' | 'paused' | 'failed' | 'stopped';
  readonly position: number;
  readonly head: number;
  /** Events. */
  readonly gap: number;
  /** Seconds. */
  readonly lag: number;
  /** Events a second. */
  readonly rate: number;
  readonly parked: number;
  /** Events applied so far, during a first fill or a rebuild. */
  readonly done?: number;
  readonly total?: number;
  readonly etaSeconds?: number;
  /** Why it failed. */
  readonly error?: string;
  /** Present when the process of a team has ended by itself: how often, and why the last time. */
  readonly process?: Omit<ProcessEnds, 'isDown'>;
}

export interface ParkedKey {
  readonly view: string;
  readonly key: string;
  readonly scope: string;
  readonly n: number;
  readonly eventId: string;
  readonly type: string;
  readonly error: string;
  readonly attempts: number;
  readonly parkedAt: string;
}

export interface SkipWanted {
  readonly n: number;
  /** The one projection that skips it; null when all do. */
  readonly only: { readonly projection: string; readonly version: number } | null;
}

export class NoSuchProjection extends DomainError {
  readonly code = 'NO_SUCH_PROJECTION';
}

export class NothingParked extends DomainError {
  readonly code = 'NOTHING_PARKED';
}

/** The API is answered from the core views, so they cannot be paused. */
export class CoreCannotPause extends DomainError {
  readonly code = 'CORE_CANNOT_PAUSE';
}

/** The service needs the core views, and an instance would fill the tables of a team again at once. */
export class ProjectionRuns extends DomainError {
  readonly code = 'PROJECTION_RUNS';
}

const SNAPSHOT_INTERVAL_MS = 400;

/** The status and control of projections, on any instance: a request is a flag in the table that the runner of the projection acts on. */
export class ProjectionAdmin {
  private before: ProjectionSnapshot | undefined;

  constructor(
    private readonly db: pg.Pool,
    private readonly wake: Wake,
    private readonly core: ViewUnit,
  ) {}

  async list(): Promise<readonly ProjectionStatus[]> {
    this.before ??= await readProjections(this.db);
    const wait = SNAPSHOT_INTERVAL_MS - (Date.now() - this.before.at);
    if (wait > 0) await sleep(wait);
    const snapshot = await readProjections(this.db);
    const statuses = this.current(snapshot).flatMap((schema) => this.statusesOf(schema, snapshot, this.before ?? snapshot));
    this.before = snapshot;
    return statuses;
  }

  async status(name: string): Promise<ProjectionStatus> {
    const found = (await this.list()).find((status) => status.name === name);
    if (found === undefined) throw new NoSuchProjection(`the projection ${name} does not exist`);
    return found;
  }

  async pause(name: string): Promise<void> {
    if (this.isCore(name)) throw new CoreCannotPause(`${name} is one of the core views, which cannot be paused`);
    await this.mark(name, 'paused = true');
  }

  async resume(name: string): Promise<void> {
    await this.mark(name, 'paused = false');
  }

  /** Rebuilds all core views when the name is one of them, because they are one unit. */
  async rebuild(name: string): Promise<void> {
    await this.mark(name, 'rebuild = true');
  }

  /** Drops the tables of a team's projection that no instance runs any more; `forget`: what else belongs to it, in the same transaction. */
  async remove(name: string, forget: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    if (this.isCore(name)) throw new ProjectionRuns(`${name} is one of the core views, which cannot be removed`);
    const dropped = await dropProjection(this.db, name, forget);
    if (dropped === 0) throw new NoSuchProjection(`the projection ${name} does not exist`);
    if (dropped === null)
      throw new ProjectionRuns(
        `the projection ${name} ran less than ${String(STOPPED_SECONDS)} s ago: take its package out of PROJECTIONS of every instance before it is removed`,
      );
  }

  async parked(name: string): Promise<readonly ParkedKey[]> {
    const { schema } = await this.find(name);
    const { rows } = await this.db.query<Omit<ParkedKey, 'n' | 'parkedAt'> & { n: string; parkedAt: Date }>(
      `SELECT view, key, scope, n, event_id AS "eventId", type, error, attempts, parked_at AS "parkedAt" FROM projection_parked
       WHERE schema = $1 AND view = $2 ORDER BY n, key`,
      [schema, name],
    );
    return rows.map((row) => ({ ...row, n: Number(row.n), parkedAt: row.parkedAt.toISOString() }));
  }

  /** What an event parked. */
  async parkedBy(name: string, eventId: string): Promise<ParkedKey> {
    const found = (await this.parked(name)).find((parked) => parked.eventId === eventId);
    if (found === undefined) throw new NothingParked(`no event ${eventId} is parked in ${name}`);
    return found;
  }

  /** How to skip it: an `EventVoided` if it stopped a core view, otherwise a skip for that one projection. */
  async skipOf(name: string, eventId: string): Promise<SkipWanted> {
    const { n } = await this.parkedBy(name, eventId);
    if (this.isCore(name)) return { n, only: null };
    const { version } = await this.find(name);
    return { n, only: { projection: name, version: Number(version) } };
  }

  async retry(name: string, eventId: string): Promise<void> {
    const { view, key } = await this.parkedBy(name, eventId);
    const { schema } = await this.find(name);
    await this.db.query('UPDATE projection_parked SET retry = true WHERE schema = $1 AND view = $2 AND key = $3', [schema, view, key]);
    this.wake.ring(CONTROL_TOPIC);
  }

  private isCore(name: string): boolean {
    return name === this.core.name || this.core.views.some((view) => view.name === name);
  }

  private async find(name: string): Promise<ProjectionSchema> {
    const unit = this.isCore(name) ? this.core.name : name;
    const found = this.current(await readProjections(this.db)).find((schema) => schema.name === unit);
    if (found === undefined) throw new NoSuchProjection(`the projection ${name} does not exist`);
    return found;
  }

  private async mark(name: string, change: string): Promise<void> {
    const { schema } = await this.find(name);
    await this.db.query(`UPDATE projection SET ${change} WHERE schema = $1`, [schema]);
    this.wake.ring(CONTROL_TOPIC);
  }

  /** One schema for each projection: of the core the one that this code runs, of a team's projection the newest of those that run; no rebuilds and replays. */
  private current(snapshot: ProjectionSnapshot): readonly ProjectionSchema[] {
    const newest = new Map<string, ProjectionSchema>();
    for (const schema of snapshot.schemas) {
      if (isReplaySchema(schema.schema)) continue;
      if (schema.successorOf !== null || (schema.name === this.core.name && schema.schema !== this.core.schema)) continue;
      const known = newest.get(schema.name);
      if (known === undefined || isNewer(schema, known)) newest.set(schema.name, schema);
    }
    return [...newest.values()];
  }

  private stateOf(schema: ProjectionSchema, isFilling: boolean): Pick<ProjectionStatus, 'state' | 'error' | 'process'> {
    if (!schema.fed && schema.name !== this.core.name)
      return { state: 'stopped', error: 'no instance with the role projector has its package in PROJECTIONS' };
    return { state: stateOf(schema, isFilling), ...errorOf(schema) };
  }

  private statusesOf(schema: ProjectionSchema, snapshot: ProjectionSnapshot, before: ProjectionSnapshot): readonly ProjectionStatus[] {
    const successor = snapshot.schemas.find(({ successorOf }) => successorOf === schema.schema);
    const filling = successor ?? (schema.state === 'building' ? schema : undefined);
    const shared = {
      ...this.stateOf(schema, filling !== undefined),
      position: schema.n,
      head: snapshot.head,
      gap: Math.max(snapshot.head - schema.n, 0),
      lag: schema.lag,
      rate: rateOf(filling ?? schema, snapshot, before),
      ...(filling !== undefined && progressOf(filling, snapshot, before)),
    } as const;
    if (schema.name !== this.core.name) {
      return [
        {
          name: schema.name,
          version: schema.version,
          core: false,
          parked: Object.values(schema.parked).reduce((sum, count) => sum + count, 0),
          ...shared,
        },
      ];
    }
    return this.core.views.map((view) => ({
      name: view.name,
      version: String(view.version),
      core: true,
      parked: schema.parked[view.name] ?? 0,
      ...shared,
    }));
  }
}

const isNewer = (one: ProjectionSchema, known: ProjectionSchema): boolean =>
  one.fed === known.fed ? known.createdAt <= one.createdAt : one.fed;

function stateOf({ state, paused, process }: ProjectionSchema, isFilling: boolean): ProjectionStatus['state'] {
  if (process?.isDown === true) return 'failed';
  if (isFilling) return 'building';
  return paused && state === 'live' ? 'paused' : state;
}

function errorOf({ error, process }: ProjectionSchema): Pick<ProjectionStatus, 'error' | 'process'> {
  const reason = process?.isDown === true ? `its process ended and is started again: ${process.reason}` : error;
  return {
    ...(reason !== null && { error: reason }),
    ...(process !== null && { process: { ends: process.ends, endedAt: process.endedAt, reason: process.reason } }),
  };
}

function rateOf(schema: ProjectionSchema, snapshot: ProjectionSnapshot, before: ProjectionSnapshot): number {
  const then = before.schemas.find((other) => other.schema === schema.schema);
  if (then === undefined || snapshot.at <= before.at) return 0;
  return Math.max(0, Math.round(((schema.n - then.n) / (snapshot.at - before.at)) * 1_000));
}

function progressOf(
  schema: ProjectionSchema,
  snapshot: ProjectionSnapshot,
  before: ProjectionSnapshot,
): Pick<ProjectionStatus, 'done' | 'total' | 'etaSeconds'> {
  const done = schema.n + 1;
  const total = Math.max(schema.total ?? 0, snapshot.head + 1);
  const rate = rateOf(schema, snapshot, before);
  return { done, total, ...(rate > 0 && { etaSeconds: Math.ceil((total - done) / rate) }) };
}

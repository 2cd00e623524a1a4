import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Wake } from '../../persistence/wake.ts';
import { DomainError } from '../../kernel/errors.ts';
import { type Look, lookAt, type Schema } from './projection-snapshot.ts';
import type { ViewUnit } from '../views/unit.ts';
import { CONTROL_TOPIC } from '../engine/control-watch.ts';
import { isReplaySchema } from '../engine/schema-names.ts';

export interface ProjectionStatus {
  readonly name: string;
  readonly version: string;
  readonly state: 'live' | 'building' | 'paused' | 'failed';
  readonly position: number;
  readonly head: number;
  /** Events. */
  readonly gap: number;
  /** Seconds. */
  readonly lag: number;
  /** Events a second. */
  readonly rate: number;
  readonly parked: number;
  /** While it is filled, for the first time or again. */
  readonly done?: number;
  readonly total?: number;
  readonly etaSeconds?: number;
  /** Why it failed. */
  readonly error?: string;
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
  /** The projection that alone passes over it; null: all do. */
  readonly only: { readonly projection: string; readonly version: number } | null;
}

export class NoSuchProjection extends DomainError {
  readonly code = 'NO_SUCH_PROJECTION';
}

export class NothingParked extends DomainError {
  readonly code = 'NOTHING_PARKED';
}

/** Everything is answered from the core views: they cannot stand still. */
export class CoreCannotPause extends DomainError {
  readonly code = 'CORE_CANNOT_PAUSE';
}

const BETWEEN_LOOKS_MS = 400;

/** What operators see and ask for, through any instance: asking is a mark in the table that the one who runs the projection heeds. */
export class ProjectionAdmin {
  private before: Look | undefined;

  constructor(
    private readonly db: pg.Pool,
    private readonly wake: Wake,
    private readonly core: ViewUnit,
  ) {}

  async list(): Promise<readonly ProjectionStatus[]> {
    this.before ??= await lookAt(this.db);
    const rest = BETWEEN_LOOKS_MS - (Date.now() - this.before.at);
    if (rest > 0) await sleep(rest);
    const look = await lookAt(this.db);
    const statuses = this.current(look).flatMap((schema) => this.statusesOf(schema, look, this.before ?? look));
    this.before = look;
    return statuses;
  }

  async status(name: string): Promise<ProjectionStatus> {
    const found = (await this.list()).find((status) => status.name === name);
    if (found === undefined) throw new NoSuchProjection(`there is no projection ${name}`);
    return found;
  }

  async pause(name: string): Promise<void> {
    if (this.isCore(name)) throw new CoreCannotPause(`${name} is one of the core views, which cannot be paused`);
    await this.mark(name, 'paused = true');
  }

  async resume(name: string): Promise<void> {
    await this.mark(name, 'paused = false');
  }

  /** Of a core view: all of them, they are one unit. */
  async rebuild(name: string): Promise<void> {
    await this.mark(name, 'rebuild = true');
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

  /** What an event stopped. */
  async parkedBy(name: string, eventId: string): Promise<ParkedKey> {
    const found = (await this.parked(name)).find((parked) => parked.eventId === eventId);
    if (found === undefined) throw new NothingParked(`no event ${eventId} is parked in ${name}`);
    return found;
  }

  /** What skipping it takes: an `EventVoided` where the core stands still, for then nobody can take it; else a skip for that one projection. */
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

  private async find(name: string): Promise<Schema> {
    const unit = this.isCore(name) ? this.core.name : name;
    const found = this.current(await lookAt(this.db)).find((schema) => schema.name === unit);
    if (found === undefined) throw new NoSuchProjection(`there is no projection ${name}`);
    return found;
  }

  private async mark(name: string, change: string): Promise<void> {
    const { schema } = await this.find(name);
    await this.db.query(`UPDATE projection SET ${change} WHERE schema = $1`, [schema]);
    this.wake.ring(CONTROL_TOPIC);
  }

  /** Of each projection the one that this code runs, or of a team's the newest; not what was retired, nor what is filled beside it. */
  private current(look: Look): readonly Schema[] {
    const newest = new Map<string, Schema>();
    for (const schema of look.schemas) {
      if (isReplaySchema(schema.schema)) continue;
      if (schema.successorOf !== null || (schema.name === this.core.name && schema.schema !== this.core.schema)) continue;
      const known = newest.get(schema.name);
      if (known === undefined || known.createdAt <= schema.createdAt) newest.set(schema.name, schema);
    }
    return [...newest.values()];
  }

  private statusesOf(schema: Schema, look: Look, before: Look): readonly ProjectionStatus[] {
    const successor = look.schemas.find(({ successorOf }) => successorOf === schema.schema);
    const filling = successor ?? (schema.state === 'building' ? schema : undefined);
    const shared = {
      state: filling !== undefined ? 'building' : schema.paused && schema.state === 'live' ? 'paused' : schema.state,
      position: schema.n,
      head: look.head,
      gap: Math.max(look.head - schema.n, 0),
      lag: schema.lag,
      rate: rateOf(filling ?? schema, look, before),
      ...(schema.error !== null && { error: schema.error }),
      ...(filling !== undefined && progressOf(filling, look, before)),
    } as const;
    if (schema.name !== this.core.name) {
      return [
        {
          name: schema.name,
          version: schema.version,
          parked: Object.values(schema.parked).reduce((sum, count) => sum + count, 0),
          ...shared,
        },
      ];
    }
    return this.core.views.map((view) => ({
      name: view.name,
      version: String(view.version),
      parked: schema.parked[view.name] ?? 0,
      ...shared,
    }));
  }
}

function rateOf(schema: Schema, look: Look, before: Look): number {
  const then = before.schemas.find((other) => other.schema === schema.schema);
  if (then === undefined || look.at <= before.at) return 0;
  return Math.max(0, Math.round(((schema.n - then.n) / (look.at - before.at)) * 1_000));
}

function progressOf(schema: Schema, look: Look, before: Look): Pick<ProjectionStatus, 'done' | 'total' | 'etaSeconds'> {
  const done = schema.n + 1;
  const total = Math.max(schema.total ?? 0, look.head + 1);
  const rate = rateOf(schema, look, before);
  return { done, total, ...(rate > 0 && { etaSeconds: Math.ceil((total - done) / rate) }) };
}

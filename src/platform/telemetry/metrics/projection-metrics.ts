import type pg from 'pg';
import type { Registry } from 'prom-client';
import { readProjections, type ProjectionSchema } from '../../read-models/admin/read-projections.ts';
import { coalesced } from '../../../kernel/cached.ts';
import { callbackGauge } from './callback-gauge.ts';
import { isReplaySchema } from '../../read-models/engine/schema-names.ts';

export interface ProjectionStanding {
  readonly name: string;
  readonly state: 'live' | 'building' | 'paused' | 'failed' | 'stopped';
  readonly position: number;
  readonly gap: number;
  readonly lagSeconds: number;
  readonly parked: number;
}

const STATES = ['live', 'building', 'paused', 'failed', 'stopped'] as const;
const labels = ['projection'];

const FIGURES = {
  watchledger_projection_position: ['Position of the last event that a projection applied', ({ position }) => position],
  watchledger_projection_lag_seconds: ['Seconds that a projection is behind the log', ({ lagSeconds }) => lagSeconds],
  watchledger_projection_gap_events: ['Events that a projection is behind the log', ({ gap }) => gap],
  watchledger_projection_parked_keys: ['Rows or partitions parked by an event that could not be applied', ({ parked }) => parked],
} as const satisfies Readonly<Record<string, readonly [string, (standing: ProjectionStanding) => number]>>;

/** The core views as one projection, and each projection of a team. */
export function meterProjections(registry: Registry, read: () => Promise<readonly ProjectionStanding[]>): void {
  const standings = coalesced(read);
  for (const [name, [help, value]] of Object.entries(FIGURES))
    callbackGauge(registry, { name, help, labels }, async (set) => {
      for (const standing of await standings()) set(value(standing), { projection: standing.name });
    });
  const state = {
    name: 'watchledger_projection_state',
    help: '1 for the current state of a projection, 0 for the others',
    labels: [...labels, 'state'],
  };
  callbackGauge(registry, state, async (set) => {
    for (const standing of await standings())
      for (const label of STATES) set(standing.state === label ? 1 : 0, { projection: standing.name, state: label });
  });
}

interface Core {
  readonly name: string;
  readonly schema: string;
  /** The position that this instance can answer, which may be ahead of the stored checkpoint. */
  readonly position: () => number;
  readonly lagSeconds: () => number;
}

export async function projectionStandings(db: pg.Pool, core: Core): Promise<readonly ProjectionStanding[]> {
  const { schemas, head } = await readProjections(db);
  const current = new Map<string, ProjectionSchema>();
  for (const schema of schemas) {
    const isNotCurrent =
      isReplaySchema(schema.schema) || schema.successorOf !== null || (schema.name === core.name && schema.schema !== core.schema);
    // In order of creation: the newest schema of a name wins.
    if (!isNotCurrent) current.set(schema.name, schema);
  }
  return [...current.values()].map(({ name, state, paused, fed, n, lag, parked }) => {
    const position = name === core.name ? Math.max(n, core.position()) : n;
    return {
      name,
      state: !fed && name !== core.name ? 'stopped' : paused && state === 'live' ? 'paused' : state,
      position,
      gap: Math.max(0, head - position),
      lagSeconds: name === core.name ? core.lagSeconds() : lag,
      parked: Object.values(parked).reduce((sum, count) => sum + count, 0),
    };
  });
}

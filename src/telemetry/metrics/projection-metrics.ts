import type pg from 'pg';
import type { Registry } from 'prom-client';
import { readProjections, type ProjectionSchema } from '../../projections/admin/read-projections.ts';
import { together, callbackGauge } from './callback-gauge.ts';
import { isReplaySchema } from '../../projections/engine/schema-names.ts';

export interface ProjectionStanding {
  readonly name: string;
  readonly state: 'live' | 'building' | 'paused' | 'failed';
  readonly position: number;
  readonly gap: number;
  readonly lagSeconds: number;
  readonly parked: number;
}

const STATES = ['live', 'building', 'paused', 'failed'] as const;
const labels = ['projection'];

const FIGURES = {
  watchledger_projection_position: ['The last event that a projection took; its rate is the projection rate', ({ position }) => position],
  watchledger_projection_lag_seconds: ['Time that a projection is behind', ({ lagSeconds }) => lagSeconds],
  watchledger_projection_gap_events: ['Events that a projection is behind', ({ gap }) => gap],
  watchledger_projection_parked_keys: ['Rows or partitions that an event could not be folded into', ({ parked }) => parked],
} as const satisfies Readonly<Record<string, readonly [string, (standing: ProjectionStanding) => number]>>;

/** The core as one, and each projection of a team. */
export function meterProjections(registry: Registry, ask: () => Promise<readonly ProjectionStanding[]>): void {
  const look = together(ask);
  for (const [name, [help, value]] of Object.entries(FIGURES))
    callbackGauge(registry, { name, help, labels }, async (tell) => {
      for (const standing of await look()) tell(value(standing), { projection: standing.name });
    });
  const state = { name: 'watchledger_projection_state', help: '1 for the state that a projection is in', labels: [...labels, 'state'] };
  callbackGauge(registry, state, async (tell) => {
    for (const standing of await look())
      for (const one of STATES) tell(standing.state === one ? 1 : 0, { projection: standing.name, state: one });
  });
}

interface Core {
  readonly name: string;
  readonly schema: string;
  /** What this instance can answer, which its own table may not know yet. */
  readonly position: () => number;
  readonly lagSeconds: () => number;
}

export async function projectionStandings(db: pg.Pool, core: Core): Promise<readonly ProjectionStanding[]> {
  const { schemas, head } = await readProjections(db);
  const current = new Map<string, ProjectionSchema>();
  for (const schema of schemas) {
    const isOther =
      isReplaySchema(schema.schema) || schema.successorOf !== null || (schema.name === core.name && schema.schema !== core.schema);
    // In the order of their making: the newest is the one that counts.
    if (!isOther) current.set(schema.name, schema);
  }
  return [...current.values()].map(({ name, state, paused, n, lag, parked }) => {
    const position = name === core.name ? Math.max(n, core.position()) : n;
    return {
      name,
      state: paused && state === 'live' ? 'paused' : state,
      position,
      gap: Math.max(0, head - position),
      lagSeconds: name === core.name ? core.lagSeconds() : lag,
      parked: Object.values(parked).reduce((sum, count) => sum + count, 0),
    };
  });
}

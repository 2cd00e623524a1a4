import type { SealStatus } from './store/ledger-store.ts';
import type { HealthParts } from '../../platform/telemetry/health/health-parts.ts';
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts';
import { coalesced } from '../../kernel/cached.ts';
import { callbackGauge } from '../../platform/telemetry/metrics/callback-gauge.ts';

const GAUGES = {
  watchledger_seal_stopped: [
    '1 while sealing is stopped because the log does not match what was sealed',
    ({ stopped }) => (stopped === null ? 0 : 1),
  ],
  watchledger_seal_gap_events: ['Events not yet under a signed checkpoint', ({ unsigned }) => unsigned],
  watchledger_seal_lag_seconds: ['Age of the oldest event not yet under a signed checkpoint, in seconds', ({ lagSeconds }) => lagSeconds],
} as const satisfies Gauges;
const WITNESS_GAUGES = {
  watchledger_seal_unwitnessed_checkpoints: ['Checkpoints that the witness has not accepted yet', ({ unwitnessed }) => unwitnessed],
} as const satisfies Gauges;

type Gauges = Readonly<Record<string, readonly [string, (status: SealStatus) => number]>>;
type ReadStatus = () => Promise<SealStatus>;

/** A checkpoint is signed at least once a minute while events are appended. */
const MAX_LAG_S = 120;

export function meterSeal(metrics: Metrics, readStatus: ReadStatus, hasWitness: boolean, isUnkept: () => boolean): void {
  const help = '1 while the last checkpoint of this instance could not be written to DATA_DIR';
  callbackGauge(metrics.registry, { name: 'watchledger_seal_unkept', help }, (set) => {
    set(isUnkept() ? 1 : 0);
  });
  const status = coalesced(readStatus);
  const gauges: Gauges = { ...GAUGES, ...(hasWitness ? WITNESS_GAUGES : {}) };
  for (const [name, [help, value]] of Object.entries(gauges))
    callbackGauge(metrics.registry, { name, help }, async (set) => {
      set(value(await status()));
    });
}

/** Shown to operators only: the service works while sealing is stopped. */
export function showSeal(health: Pick<HealthParts, 'show'>, readStatus: ReadStatus): void {
  health.show('seal', async () => {
    const { stopped, unsigned, lagSeconds } = await readStatus();
    if (stopped !== null) throw new Error(`nothing is sealed: ${stopped}`);
    if (lagSeconds > MAX_LAG_S)
      throw new Error(`${String(unsigned)} events are not sealed yet, the oldest for ${String(Math.round(lagSeconds))} s`);
  });
}

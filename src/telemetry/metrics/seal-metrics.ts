import type { SealStatus } from '../../ledger/store/ledger-store.ts';
import type { HealthParts } from '../health/health-parts.ts';
import type { Metrics } from './metrics.ts';
import { together, callbackGauge } from './callback-gauge.ts';

const GAUGES = {
  watchledger_seal_stopped: [
    '1 while nothing is sealed, because the log is not what was sealed',
    ({ stopped }) => (stopped === null ? 0 : 1),
  ],
  watchledger_seal_gap_events: ['Events that no checkpoint covers yet', ({ unsigned }) => unsigned],
  watchledger_seal_lag_seconds: ['How long the first of them has waited', ({ lagSeconds }) => lagSeconds],
} as const satisfies Gauges;
const WITNESS_GAUGES = {
  watchledger_seal_unwitnessed_checkpoints: ['Checkpoints that the witness has not taken yet', ({ unwitnessed }) => unwitnessed],
} as const satisfies Gauges;

type Gauges = Readonly<Record<string, readonly [string, (standing: SealStatus) => number]>>;
type Look = () => Promise<SealStatus>;

/** A checkpoint is signed at least once a minute while events come. */
const LONGEST_LAG_S = 120;

export function meterSeal(metrics: Metrics, look: Look, hasWitness: boolean): void {
  const standing = together(look);
  const gauges: Gauges = { ...GAUGES, ...(hasWitness ? WITNESS_GAUGES : {}) };
  for (const [name, [help, value]] of Object.entries(gauges))
    callbackGauge(metrics.registry, { name, help }, async (tell) => {
      tell(value(await standing()));
    });
}

/** The service keeps answering while sealing fails, so operators need this metric to notice. */
export function showSeal(health: Pick<HealthParts, 'show'>, look: Look): void {
  health.show('seal', async () => {
    const { stopped, unsigned, lagSeconds } = await look();
    if (stopped !== null) throw new Error(`nothing is sealed: ${stopped}`);
    if (lagSeconds > LONGEST_LAG_S)
      throw new Error(`${String(unsigned)} events are not sealed yet, the first of them for ${String(Math.round(lagSeconds))} s`);
  });
}

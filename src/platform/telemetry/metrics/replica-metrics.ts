import type { ReadPlace, ReadReplicas } from '../../postgres/read-replicas/read-replicas.ts';
import { Degraded, type HealthParts } from '../health/health-parts.ts';
import { callbackGauge } from './callback-gauge.ts';
import type { Metrics } from './metrics.ts';

const PLACES = ['replica', 'late', 'out'] as const satisfies readonly ReadPlace[];

interface ReplicaMeter {
  readonly read: (place: ReadPlace) => void;
  readonly repeated: () => void;
}

export function meterReplicas(metrics: Metrics, all: () => ReadReplicas['all']): ReplicaMeter {
  const reads = metrics.counter(
    'watchledger_replica_reads_total',
    'Reads that a replica may answer, by what answered: replica, or the primary because every replica was late or out',
    ['place'],
  );
  for (const place of PLACES) reads.inc({ place }, 0);
  const repeated = metrics.counter(
    'watchledger_replica_repeated_total',
    'Statements that a read replica refused or did not answer, and that were repeated on the primary',
  );
  const row = {
    name: 'watchledger_replica_used',
    help: 'Whether a read replica answers reads: 1, or 0 while it is left out',
    labels: ['replica'],
  };
  callbackGauge(metrics.registry, row, (set) => {
    for (const { name, isUsed } of all()) set(isUsed ? 1 : 0, { replica: name });
  });
  return {
    read: (place) => {
      reads.inc({ place });
    },
    repeated: () => {
      repeated.inc();
    },
  };
}

/** Shown without affecting the readiness: the primary answers instead. */
export function showReplicas(health: HealthParts, { all }: ReadReplicas): void {
  health.show('replica', () => {
    const out = all.flatMap(({ name, outage }) =>
      outage === null ? [] : [`${name} is left out since ${new Date(outage.since).toISOString()}: ${outage.reason}`],
    );
    if (out.length > 0) throw new Degraded(out.join('; '));
  });
}

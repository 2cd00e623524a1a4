import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { ReadReplicas } from './read-replicas/read-replicas.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';
import { meterReplicas } from '../telemetry/metrics/replica-metrics.ts';

interface ReplicaParts {
  readonly primary: pg.Pool;
  readonly schema: string;
  readonly onPosition: (position: number) => void;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Null without `READ_URL`, and in a witness, which has no read models. */
export async function openReplicas(
  { readUrls: urls, roles }: Pick<Config, 'readUrls' | 'roles'>,
  { primary, schema, onPosition, metrics, logger }: ReplicaParts,
): Promise<ReadReplicas | null> {
  if (urls.length === 0 || roles.includes('witness')) return null;
  const meter = meterReplicas(metrics, () => replicas.all);
  const replicas = await ReadReplicas.open({
    urls,
    primary,
    schema,
    onPosition,
    onRead: meter.read,
    onRepeated: meter.repeated,
    onLeftOut: ({ name }, { reason }) => {
      logger.warn({ replica: name, reason }, 'read replica left out; the primary answers its reads');
    },
    onUsedAgain: ({ name }) => {
      logger.info({ replica: name }, 'read replica in use');
    },
  });
  for (const [index, { pool }] of replicas.all.entries()) metrics.pool(`replica ${String(index + 1)}`, pool);
  return replicas;
}

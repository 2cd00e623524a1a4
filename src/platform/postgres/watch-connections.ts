import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { ConnectionWatch, SILENCE_KINDS } from './connection-watch.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';

const LOG_INTERVAL_MS = 60_000;

/** A watch over all connections of the process to each database, with at most one log line per minute and kind. */
export function connectionWatches(
  config: Pick<Config, 'databaseSilenceSeconds'>,
  logger: Logger,
  metrics: Metrics,
): (url: string) => ConnectionWatch {
  const closed = metrics.counter(
    'watchledger_database_connections_closed_total',
    'Database connections closed because they were no longer answered: unanswered, moved (to another server) or half-open',
    ['reason'],
  );
  for (const reason of SILENCE_KINDS) closed.inc({ reason }, 0);
  const counts = new Map<string, number>();
  const loggedAt = new Map<string, number>();
  const isDue = (kind: string): boolean => {
    const now = performance.now();
    if (now - (loggedAt.get(kind) ?? -Infinity) < LOG_INTERVAL_MS) return false;
    loggedAt.set(kind, now);
    return true;
  };
  const watchOf = (url: string): ConnectionWatch =>
    new ConnectionWatch({
      url,
      silentMs: config.databaseSilenceSeconds * 1_000,
      onDiscarded: (reason, connections) => {
        closed.inc({ reason }, connections);
        const count = (counts.get(reason) ?? 0) + connections;
        counts.set(reason, count);
        if (!isDue(reason)) return;
        counts.delete(reason);
        logger.warn({ reason, connections: count }, 'database connections do not answer; closed, to be opened again');
      },
      onSilence: (seconds) => {
        if (seconds === null) logger.info('the database answers again');
        else if (isDue('silence'))
          logger.warn({ seconds: Math.round(seconds) }, 'the database does not answer, on existing connections or on a new one');
      },
    });
  return watchOf;
}

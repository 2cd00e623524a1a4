import type pg from 'pg';
import { type ObservationPool, ObservationSchemas } from './schemas.ts';
import type { Config } from '../config/config.ts';
import type { ConnectionWatch } from '../postgres/connection-watch.ts';
import { openPool } from '../postgres/pool.ts';

export interface ObservationPools {
  readonly api: ObservationPool;
  /** For the checker, so that no request waits behind what it stores. */
  readonly checker: ObservationPool;
  /** By name, those that were opened for a database of observations alone. */
  readonly own: Readonly<Record<string, pg.Pool>>;
  close(): Promise<void>;
}

/** Without a URL observations share the pools of the database of the log. */
export function openObservationPools(
  { observationsUrl: url, observationSchemas }: Pick<Config, 'observationsUrl' | 'observationSchemas'>,
  shared: Readonly<Record<'api' | 'checker', pg.Pool>>,
  { watchOf, onError }: { readonly watchOf: (url: string) => ConnectionWatch; readonly onError: (error: Error) => void },
): ObservationPools {
  if (url === undefined) return { ...shared, own: {}, close: () => Promise.resolve() };
  const watch = watchOf(url);
  const schemas = new ObservationSchemas(observationSchemas);
  const api = Object.assign(openPool(url, { name: 'observations', max: 12, watch, onError }), { schemas });
  const checker = Object.assign(openPool(url, { name: 'checker observations', max: 5, watch, onError }), { schemas });
  return {
    api,
    checker,
    own: { observations: api, 'checker observations': checker },
    close: async () => {
      await Promise.all([api.end(), checker.end()]);
      await watch.close();
    },
  };
}

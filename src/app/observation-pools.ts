import type pg from 'pg';
import type { ConnectionWatch } from '../persistence/connection-watch.ts';
import { openPool } from '../persistence/pool.ts';

export interface ObservationPools {
  readonly api: pg.Pool;
  /** Of the checker: no request waits behind what it stores. */
  readonly checker: pg.Pool;
  /** By name, those that were opened for a database of observations alone. */
  readonly own: Readonly<Record<string, pg.Pool>>;
  close(): Promise<void>;
}

/** Without a URL observations share the pools of the database of the log. */
export function openObservationPools(
  url: string | undefined,
  shared: Readonly<Record<'api' | 'checker', pg.Pool>>,
  { watchOf, onError }: { readonly watchOf: (url: string) => ConnectionWatch; readonly onError: (error: Error) => void },
): ObservationPools {
  if (url === undefined) return { ...shared, own: {}, close: () => Promise.resolve() };
  const watch = watchOf(url);
  const api = openPool(url, { name: 'observations', max: 12, watch, onError });
  const checker = openPool(url, { name: 'checker observations', max: 5, watch, onError });
  return {
    ...{ api, checker, own: { observations: api, 'checker observations': checker } },
    close: async () => {
      await Promise.all([api.end(), checker.end()]);
      await watch.close();
    },
  };
}

import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../../client.ts';
import { address } from '../frame/address.ts';
import { asOfShown, service } from '../service/service.ts';

export type Site = Pick<Schemas['Project'], 'id' | 'title' | 'url' | 'status' | 'sslDaysLeft' | 'tags'>;

export interface SiteList {
  readonly sites: readonly Site[];
  readonly isWhole: boolean;
  readonly error: unknown;
}

const FIELDS = 'id,title,url,status,sslDaysLeft,tags';
const PAGE = 500;

/** All sites of the caller by title, a page after the other: a line is some hundred bytes. `round` reads them again. */
export function useSites(search: string, round: number): SiteList {
  const [list, setList] = useState<SiteList>({ sites: [], isWhole: false, error: undefined });
  const asOf = address.value.query.get('at') ?? '';
  useEffect(() => {
    const aborter = new AbortController();
    const read = async (): Promise<void> => {
      const sites: Site[] = [];
      // A list by title as of an instant has a bound, one by id has none.
      const sort = asOf === '' ? 'title' : 'id';
      const query = { limit: PAGE, sort, fields: FIELDS, ...(search !== '' && { search }), ...asOfShown() } as const;
      for await (const site of service.list('/projects', { query, signal: aborter.signal })) {
        sites.push(site);
        if (sites.length % PAGE === 0) setList({ sites: [...sites], isWhole: false, error: undefined });
      }
      if (!aborter.signal.aborted) setList({ sites, isWhole: true, error: undefined });
    };
    read().catch((error: unknown) => !aborter.signal.aborted && setList((before) => ({ ...before, error })));
    return () => aborter.abort();
  }, [search, round, asOf]);
  return list;
}

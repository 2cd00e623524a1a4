import { Inject, Injectable } from '@nestjs/common';
import { LOG, type Log } from '../../log/log.ts';
import { instantOfPosition, readLogInstant } from '../../log/log-instant.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import type { AsOf } from './as-of.ts';

/** The operations that accept `asOf` (docs/spec/beyond.md#B3). */
const ROUTES = new Set(
  [
    'project/:id',
    'project/:id/areas',
    'project/:id/tests',
    'project/:id/users',
    'project/:id/status',
    'project/:id/simple-status',
    'project/:id/notifications',
    'project/:id/objective',
    'project/:id/uptime',
    'project/:id/responseTimes',
    'project/:id/uptime.svg',
    'project/:id/responseTimes.svg',
    'project/:id/maintenance',
    'projects',
    'account/deliveries',
  ]
    .concat(['test/:id', 'tests/:id', 'area/:id'])
    .concat(['test', 'tests'].flatMap((test) => [`${test}/:id/uptime`, `${test}/:id/corrections`, `${test}/:id/results`]))
    .map((path) => `/api/${path}`),
);

export const answersAsOf = (method: string, route: string): boolean => (method === 'GET' || method === 'HEAD') && ROUTES.has(route);

/** Resolves `asOf`, an instant or a log position, to the views of then. */
@Injectable()
export class AsOfResolver {
  constructor(
    @Inject(LOG) private readonly log: Log,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
  ) {}

  /** Null: the request asks about the present. */
  async ofRequest(method: string, route: string, given: unknown): Promise<AsOf | null> {
    if (given === undefined || !answersAsOf(method, route)) return null;
    return this.read(given, 'asOf');
  }

  async read(given: unknown, name: string): Promise<AsOf> {
    const instant = await readLogInstant(this.log, given, name);
    return { ...instant, views: this.views.asOf(instant.n) };
  }

  async atPosition(n: number, name: string): Promise<AsOf> {
    return { ...(await instantOfPosition(this.log, n, name)), views: this.views.asOf(n) };
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { LOG, type Log } from '../../log/log.ts';
import { instantOfPosition, readLogInstant } from '../../log/log-instant.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { currentRecomputation } from '../context/recomputation.ts';
import type { AsOf } from './as-of.ts';
import { answersAsOf } from './as-of-routes.ts';

/** Resolves `asOf`, an instant or a log position, to the views of then. */
@Injectable()
export class AsOfResolver {
  constructor(
    @Inject(LOG) private readonly log: Log,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
  ) {}

  /** Null: the request asks about the present. */
  async ofRequest(method: string, route: string, given: unknown): Promise<AsOf | null> {
    if (!answersAsOf(method, route)) return null;
    const again = currentRecomputation();
    if (again !== undefined) return this.exactly(again.n, again.at);
    return given === undefined ? null : this.read(given, 'asOf');
  }

  /** As of a position that the log is known to have; `at` is "now" in the answer. */
  exactly(n: number, at: number): AsOf {
    return { n, at, views: this.views.asOf(n) };
  }

  async read(given: unknown, name: string): Promise<AsOf> {
    const instant = await readLogInstant(this.log, given, name);
    return { ...instant, views: this.views.asOf(instant.n) };
  }

  async atPosition(n: number, name: string): Promise<AsOf> {
    return { ...(await instantOfPosition(this.log, n, name)), views: this.views.asOf(n) };
  }
}

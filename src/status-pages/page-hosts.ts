import type { IncomingMessage } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Throttle } from '../kernel/throttle.ts';
import { statusPageView } from './status-page.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { statusPathOf } from './page/page-address.ts';

/** A change of hosts is seen after this time. */
const FRESH_MS = 2_000;
const REPORT_EVERY_MS = 60_000;

/** Lower case, without port and without the dot of a fully qualified name. */
const hostIn = (header: string | undefined): string => (header ?? '').replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();

/**
 * The host names of status pages. A request to one is answered by its page alone: its path is rewritten before it is routed, so that nothing else of
 * the service can be reached there.
 */
@Injectable()
export class PageHosts {
  private slugs: ReadonlyMap<string, string> = new Map();
  private readAt = -Infinity;
  private readonly logger = new Logger('status pages');
  private readonly reports = new Throttle(REPORT_EVERY_MS);

  constructor(@Inject(ViewsAt) private readonly views: Pick<ViewsAt, 'now'>) {}

  /** The URL that is routed. */
  rewritten({ url = '/', headers: { host } }: Pick<IncomingMessage, 'url' | 'headers'>): string {
    this.refresh();
    const slug = this.slugs.size === 0 ? undefined : this.slugs.get(hostIn(host));
    if (slug === undefined) return url;
    if (url.startsWith('/-/')) return `/status${url}`;
    return url === '/' || url.startsWith('/?') ? `${statusPathOf(slug)}${url.slice(1)}` : `${statusPathOf(slug)}${url}`;
  }

  /** What the addresses of the page begin with in an answer to this request. */
  baseFor(slug: string, host: string | undefined): string {
    return this.slugs.size > 0 && this.slugs.get(hostIn(host)) === slug ? '' : statusPathOf(slug);
  }

  private refresh(): void {
    const now = performance.now();
    if (now - this.readAt < FRESH_MS) return;
    this.readAt = now;
    void this.read();
  }

  /** While the database is away the hosts that are known stay. */
  async read(): Promise<void> {
    try {
      const found = await this.views.now().list(statusPageView, { where: { hosted: { eq: 'yes' } }, parked: 'as before' });
      this.slugs = new Map(found.flatMap(({ row: { hosts, settings } }) => hosts.map((host) => [host, settings.slug] as const)));
    } catch (error) {
      const times = this.reports.pass('hosts');
      if (times !== null)
        this.logger.warn({ msg: 'the hosts of status pages could not be read; those that are known stay', err: error, times });
    }
  }
}

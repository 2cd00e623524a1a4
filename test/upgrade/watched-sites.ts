import { type Site, startHttp } from '../support/servers/site.ts';

export const PERIOD_MS = 15_000;
/** Between two probes of a site, beyond its period: spread, a takeover and a busy machine. */
const TOLERANCE_MS = 8_000;
/** Between a probe as it was stored and as the site was asked. */
const SAME_PROBE_MS = 2_500;

/** Sites on one server that notes when each of them was asked. */
export class WatchedSites {
  private readonly asked = new Map<string, number[]>();
  private readonly broken = new Set<string>();

  private site: Site | undefined;

  static async open(): Promise<WatchedSites> {
    const sites = new WatchedSites();
    sites.site = await startHttp((request, response) => {
      const path = request.url ?? '';
      sites.asked.get(path)?.push(Date.now());
      response.statusCode = sites.broken.has(path) ? 500 : 200;
      response.setHeader('content-type', 'text/html');
      // Longer than the steps of a stop: some probes are under way in each of them.
      setTimeout(() => response.end('<title>Shop</title><p>Welcome</p>'), 300);
    });
    return sites;
  }

  get url(): string {
    return this.site?.url ?? '';
  }

  add(path: string): string {
    this.asked.set(path, []);
    return `${this.url}${path}`;
  }

  fail(...paths: readonly string[]): void {
    for (const path of paths) this.broken.add(path);
  }

  mend(): void {
    this.broken.clear();
  }

  /** Whether each was asked since an instant. */
  allAskedSince(since: number): boolean {
    return [...this.asked.values()].every((times) => (times.at(-1) ?? 0) > since);
  }

  /** Probes of a site that came too soon after the one before, as from a second owner, or too late; of one that did not fail. */
  irregular(path: string): readonly string[] {
    const times = this.asked.get(path) ?? [];
    return times.flatMap((at, index) => {
      const gap = at - (times[index - 1] ?? at - PERIOD_MS);
      return Math.abs(gap - PERIOD_MS) <= TOLERANCE_MS ? [] : [`${path} was probed ${String(gap)} ms after the probe before`];
    });
  }

  /** Probes that are not stored, or stored twice: the stored ones are given by the instants at which they began. */
  unlike(path: string, stored: readonly number[]): readonly string[] {
    const times = this.asked.get(path) ?? [];
    const isSame = times.length === stored.length && times.every((at, index) => Math.abs(at - (stored[index] ?? 0)) < SAME_PROBE_MS);
    const iso = (instants: readonly number[]): string => instants.map((at) => new Date(at).toISOString().slice(11, 23)).join(' ');
    return isSame ? [] : [`${path} was probed at ${iso(times)}, and stored are ${iso(stored)}`];
  }

  async close(): Promise<void> {
    await this.site?.close();
  }
}

import { hostUrls } from '../config/database-url.ts';

/** What the connections of this process know of the hosts: a failed connection moves all of them on to the next. */
export class DatabaseHosts {
  private static readonly known = new Map<string, DatabaseHosts>();
  private index = 0;

  private constructor(private readonly urls: readonly string[]) {}

  static of(url: string): DatabaseHosts {
    const hosts = this.known.get(url) ?? new DatabaseHosts(hostUrls(url));
    this.known.set(url, hosts);
    return hosts;
  }

  get areSeveral(): boolean {
    return this.urls.length > 1;
  }

  get current(): string {
    return this.urls[this.index] ?? '';
  }

  /** Several connections fail at once, and move on by one host only. */
  skip(failed: string): void {
    if (failed === this.current) this.index = (this.index + 1) % this.urls.length;
  }
}

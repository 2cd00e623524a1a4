import { isUrl } from '../../kernel/url.ts';

export interface Passage {
  readonly projectId: string;
  readonly url: string;
  /** Asked when the work is done, which may have found out what it is by then; nothing where nobody was asked. */
  readonly delayMs: () => number;
  /** It goes on with what was begun, such as a form whose page was fetched: it waits for the pause alone, not for its turn. */
  readonly goesOn?: boolean;
}

/** One request at a time to a host for a project, `delay` after the one before (docs/spec/decisions.md#T13). */
export class HostGate {
  /** Those that wait, of each host at which somebody is. */
  private readonly lines = new Map<string, (() => void)[]>();

  constructor(private readonly sleep: (milliseconds: number) => Promise<unknown>) {}

  async pass<T>({ projectId, url, delayMs, goesOn = false }: Passage, work: () => Promise<T>): Promise<T> {
    const key = `${projectId} ${hostOf(url)}`;
    const line = this.lines.get(key);
    if (line === undefined) this.lines.set(key, []);
    else await new Promise<void>((go) => (goesOn ? line.unshift(go) : line.push(go)));
    try {
      return await work();
    } finally {
      void this.leave(key, delayMs());
    }
  }

  private async leave(key: string, delayMs: number): Promise<void> {
    if (delayMs > 0) await this.sleep(delayMs);
    const next = this.lines.get(key)?.shift();
    if (next === undefined) this.lines.delete(key);
    else next();
  }
}

export const hostOf = (url: string): string => (isUrl(url) ? new URL(url).host : url);

import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { RunStore } from '../../platform/observations/runs/run-store.ts';
import { type LiveRun, resultFrame } from './frames.ts';
import { LiveFeed } from './live-feed.ts';
import { projectIdOf } from '../../kernel/stream-names.ts';

const POLL_MS = 2_000;
/** A run is stored at its end under the instant at which it began. */
const LOOK_BACK_MS = 120_000;

const keyOf = ({ at, checkId }: LiveRun): string => `${String(at)} ${checkId}`;

/** Sends new results: polls the stored runs of projects with connected clients, one project after another. */
@Injectable()
export class LiveResults implements BeforeApplicationShutdown {
  private readonly sent = new Map<string, ReadonlySet<string>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly feed: LiveFeed,
    private readonly runs: RunStore,
  ) {}

  /** Results that exist when the first client of a project connects are not sent. */
  watch(scope: string): void {
    if (!this.sent.has(scope)) void this.sendNew(scope).catch(() => undefined);
    this.schedule();
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => void this.poll(), POLL_MS);
  }

  private async poll(): Promise<void> {
    const scopes = this.feed.scopes();
    // A scope that fails is polled again soon.
    for (const scope of scopes) await this.sendNew(scope).catch(() => undefined);
    for (const scope of this.sent.keys()) if (!scopes.includes(scope)) this.sent.delete(scope);
    this.timer = undefined;
    if (this.feed.scopes().length > 0) this.schedule();
  }

  private async sendNew(scope: string): Promise<void> {
    const now = Date.now();
    const runs = await this.runs.between(projectIdOf(scope), now - LOOK_BACK_MS, now + 1);
    const known = this.sent.get(scope);
    this.sent.set(scope, new Set(runs.map(keyOf)));
    if (known === undefined) return;
    const frames = runs.filter((run) => !known.has(keyOf(run))).map(resultFrame);
    for (const client of this.feed.clientsOf(scope)) for (const frame of frames) client.offer(frame);
  }
}

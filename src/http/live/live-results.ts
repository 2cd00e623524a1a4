import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { RUN_STORE, type RunStore } from '../../observations/runs/run-store.ts';
import { type Run, resultFrame } from './frames.ts';
import { LiveFeed } from './live-feed.ts';

const LOOK_MS = 2_000;
/** A run is kept when it is over, under the instant at which it began. */
const LOOK_BACK_MS = 120_000;

const keyOf = ({ at, checkId }: Run): string => `${String(at)} ${checkId}`;

/** Tells results between the events: looks up what came in for those projects that somebody listens to, one after another. */
@Injectable()
export class LiveResults implements BeforeApplicationShutdown {
  private readonly told = new Map<string, ReadonlySet<string>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(LiveFeed) private readonly feed: LiveFeed,
    @Inject(RUN_STORE) private readonly runs: RunStore,
  ) {}

  /** What is there when the first one comes to a project is not new. */
  begin(scope: string): void {
    if (!this.told.has(scope)) void this.tell(scope).catch(() => undefined);
    this.again();
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private again(): void {
    this.timer ??= setTimeout(() => void this.look(), LOOK_MS);
  }

  private async look(): Promise<void> {
    const scopes = this.feed.scopes();
    // Who is missed now is asked again soon.
    for (const scope of scopes) await this.tell(scope).catch(() => undefined);
    for (const scope of this.told.keys()) if (!scopes.includes(scope)) this.told.delete(scope);
    this.timer = undefined;
    if (this.feed.scopes().length > 0) this.again();
  }

  private async tell(scope: string): Promise<void> {
    const now = Date.now();
    const runs = await this.runs.between(scope.slice('project-'.length), now - LOOK_BACK_MS, now + 1);
    const known = this.told.get(scope);
    this.told.set(scope, new Set(runs.map(keyOf)));
    if (known === undefined) return;
    const frames = runs.filter((run) => !known.has(keyOf(run))).map(resultFrame);
    for (const client of this.feed.listeners(scope)) for (const frame of frames) client.mention(frame);
  }
}

import { setImmediate as yielding } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { LogEvent } from '../../kernel/event.ts';
import { LOG, type Log } from '../../log/log.ts';
import type { AsOf } from '../as-of/as-of.ts';
import { withoutSecrets } from '../history/event.presenter.ts';
import { Attribution } from './attribution.ts';
import { differences } from './diff.ts';
import { type ProjectState, readState } from './project-state.ts';
import { allPaths, thingsOf } from './things.ts';

const PAGE = 1_000;

export interface Change {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly events: readonly string[];
}

/** What differs of a project between two instants, and which events made each difference (docs/spec/beyond.md#B3). */
@Injectable()
export class CompareReading {
  constructor(@Inject(LOG) private readonly log: Log) {}

  async changes(projectId: string, from: AsOf, to: AsOf): Promise<readonly Change[]> {
    const scope = `project-${projectId}`;
    const [earlier, later] = [await readState(from.views, scope), await readState(to.views, scope)];
    const found = differences(things(earlier, from), things(later, to));
    if (found.length === 0) return [];
    const attribution = new Attribution(earlier);
    for await (const event of this.between(scope, from.n, to.n)) attribution.take(event);
    return found.map((difference) => ({
      path: difference.path,
      from: withoutSecrets(difference.from),
      to: withoutSecrets(difference.to),
      events: attribution.of(difference.path),
    }));
  }

  private async *between(scope: string, after: number, until: number): AsyncGenerator<LogEvent> {
    for (let place = after; ;) {
      const events = await this.log.read({ after: place, until, scope, limit: PAGE });
      yield* events;
      const last = events.at(-1);
      if (last === undefined || events.length < PAGE) return;
      place = last.n;
      await yielding();
    }
  }
}

const things = (state: ProjectState, { at }: AsOf) => thingsOf(state, allPaths(state), at);

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { LogEvent } from '../../kernel/event.ts';
import { LOG, type Log } from '../../log/log.ts';
import type { AsOf } from '../as-of/as-of.ts';
import { withoutSecrets } from '../history/event.presenter.ts';
import { Attribution } from './attribution.ts';
import { differences } from './diff.ts';
import { type ProjectState, readComparedState } from './project-state.ts';
import { allPaths, readFields } from './compared-fields.ts';
import { projectStream } from '../../domain/stream-names.ts';

const PAGE = 1_000;

export interface AttributedChange {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly events: readonly string[];
}

/** The differences of a project between two instants, and the events that caused each (docs/spec/beyond.md#B3). */
@Injectable()
export class CompareReading {
  constructor(@Inject(LOG) private readonly log: Log) {}

  async changes(projectId: string, from: AsOf, to: AsOf): Promise<readonly AttributedChange[]> {
    const scope = projectStream(projectId);
    const [earlier, later] = [await readComparedState(from.views, scope), await readComparedState(to.views, scope)];
    const found = differences(fields(earlier, from), fields(later, to));
    if (found.length === 0) return [];
    const attribution = new Attribution(earlier);
    for await (const event of this.between(scope, from.n, to.n)) attribution.record(event);
    return found.map((difference) => ({
      path: difference.path,
      from: withoutSecrets(difference.from),
      to: withoutSecrets(difference.to),
      events: attribution.eventsOf(difference.path),
    }));
  }

  private async *between(scope: string, after: number, until: number): AsyncGenerator<LogEvent> {
    for (let position = after; ;) {
      const events = await this.log.read({ after: position, until, scope, limit: PAGE });
      yield* events;
      const last = events.at(-1);
      if (last === undefined || events.length < PAGE) return;
      position = last.n;
      await yieldToEventLoop();
    }
  }
}

const fields = (state: ProjectState, { at }: AsOf) => readFields(state, allPaths(state), at);

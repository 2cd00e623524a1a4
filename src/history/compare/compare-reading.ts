import { Injectable } from '@nestjs/common';
import type { LogEvent } from '../../kernel/event.ts';
import { TimeSlice } from '../../kernel/time-slice.ts';
import { Log } from '../../platform/log/log.ts';
import type { AsOf } from '../../platform/http/as-of/as-of.ts';
import { withoutSecrets } from '../event.presenter.ts';
import { Attribution } from './attribution.ts';
import { differences } from './diff.ts';
import { type ProjectState, readComparedState } from './project-state.ts';
import { allPaths, readFields } from './compared-fields.ts';
import { projectStream } from '../../kernel/stream-names.ts';

const PAGE = 500;
/** A page is parsed in one go. */
const PAGE_BYTES = 512 * 1024;

export interface AttributedChange {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly events: readonly string[];
}

/** The differences of a project between two instants, and the events that caused each (docs/spec/beyond.md#B3). */
@Injectable()
export class CompareReading {
  constructor(private readonly log: Log) {}

  async changes(projectId: string, from: AsOf, to: AsOf): Promise<readonly AttributedChange[]> {
    const scope = projectStream(projectId);
    const [earlier, later] = [await readComparedState(from.views, scope), await readComparedState(to.views, scope)];
    const found = differences(fields(earlier, from), fields(later, to));
    if (found.length === 0) return [];
    const attribution = new Attribution(earlier);
    const slice = new TimeSlice();
    for await (const event of this.between(scope, from.n, to.n)) {
      if (slice.isOver) await slice.next();
      attribution.record(event);
    }
    return found.map((difference) => ({
      path: difference.path,
      from: withoutSecrets(difference.from),
      to: withoutSecrets(difference.to),
      events: attribution.eventsOf(difference.path),
    }));
  }

  /** The position of the last of `limit` events; null: the rest has no more. */
  async endOfPage(projectId: string, after: number, until: number, limit: number): Promise<number | null> {
    let [left, end] = [limit, after];
    for await (const { n } of this.between(projectStream(projectId), after, until)) {
      if (left-- === 0) return end;
      end = n;
    }
    return null;
  }

  private async *between(scope: string, after: number, until: number): AsyncGenerator<LogEvent> {
    for (let position = after; position < until;) {
      const events = await this.log.read({ after: position, until, scope, limit: PAGE, bytes: PAGE_BYTES });
      const last = events.at(-1);
      if (last === undefined) return;
      yield* events;
      position = last.n;
    }
  }
}

const fields = (state: ProjectState, { at }: AsOf) => readFields(state, allPaths(state), at);

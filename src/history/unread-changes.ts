import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PreconditionFailed, type UnreadChange } from '../platform/commands/precondition.ts';
import { upcast } from '../events.ts';
import { accountStream, projectStream } from '../kernel/stream-names.ts';
import type { LogEvent } from '../kernel/event.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { HistoryReading } from './history-reading.ts';
import type { MatchedTags, ThingIds, ThingRow, UnreadChanges } from '../platform/http/conditions/thing.ts';

/** The newest events of its view in the project or account, among which the changes of a thing are searched. */
const SEARCHED = 200;
const MOST_CHANGES = 20;
/** The log may be behind the event store. */
const LOOKS = 5;
const PAUSE_MS = 40;

/** Finds what a writer did not know: the changes of the settings since they were read (docs/spec/decisions.md#G17). */
@Injectable()
export class HistoryOfThings implements UnreadChanges {
  constructor(
    private readonly history: HistoryReading,
    private readonly views: ViewsAt,
  ) {}

  /** The refusal with the changes, as far as they can be found. */
  async explained({ present }: PreconditionFailed, { thing, tags }: MatchedTags, ids: ThingIds): Promise<PreconditionFailed> {
    const row = thing.row(ids);
    for (let look = 0; look < LOOKS; look++) {
      if (look > 0) await pause(PAUSE_MS);
      const found = await this.changesOf(row, scopeOf(row, ids), tags);
      if (found.tag !== present) continue;
      return new PreconditionFailed(present, (await this.history.presented(found.changes)).map(shown));
    }
    return new PreconditionFailed(present);
  }

  /**
   * The settings are folded as of before the first of these events, then with each of them: an event that changes their tag is a change. At the state that
   * the writer has read, the changes so far are known to it.
   */
  private async changesOf(
    { view, key, tag }: ThingRow,
    scope: string,
    known: readonly string[],
  ): Promise<{ readonly changes: readonly LogEvent[]; readonly tag: string | null }> {
    const events = (await this.history.newest(scope, [...view.handles], SEARCHED)).filter((event) => view.key(upcast(event)) === key);
    const [first] = events;
    let row = first === undefined ? await this.views.now().get(view, key) : await this.views.asOf(first.n - 1).get(view, key);
    let changes: LogEvent[] = [];
    for (const event of events) {
      const before = tag(row);
      row = view.evolve(row, upcast(event));
      const after = tag(row);
      if (after !== null && known.includes(after)) changes = [];
      else if (after !== before) changes.push(event);
    }
    return { changes: changes.slice(-MOST_CHANGES), tag: tag(row) };
  }
}

const scopeOf = ({ view }: ThingRow, { userId, projectId }: ThingIds): string =>
  view.scope === 'system' ? 'system' : view.scope === 'account' ? accountStream(userId) : projectStream(projectId);

const shown = ({ id, type, actor, recordedAt, summary }: UnreadChange): UnreadChange => ({ id, type, actor, recordedAt, summary });

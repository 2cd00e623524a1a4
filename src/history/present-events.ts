import { setImmediate as nextTurn } from 'node:timers/promises';
import { type StoredEvent } from '../platform/event-store/lazy-event.ts';
import type { LogEvent } from '../kernel/event.ts';
import { type PresentedEvent, presentEvent } from './event.presenter.ts';
import type { KnownNames, NamesReader, NamingEvent, ReadNames } from './names-reader.ts';
import { type SentenceEvent, summaryOf } from './summary.ts';
import { lineEvent, eventLine } from './event-line.ts';

/** Presented in one turn of the event loop, so that others are answered in between. */
const PIECE = 200;

/** Characters per chunk: the allocator requests memory for larger ones from the system each time, which takes longer than encoding them. */
const CHUNK = 32_768;

/** Events as readers see them, with today's names, in pieces that a caller may send one by one. */
export async function* presentedPieces(reader: NamesReader, events: readonly LogEvent[]): AsyncGenerator<readonly PresentedEvent[]> {
  if (events.length === 0) return;
  const names = await reader.read(events);
  for await (const piece of inPieces(events)) yield piece.map((event) => presentEvent(event, ...wordsOf(event, names)));
}

export async function presentEvents(reader: NamesReader, events: readonly LogEvent[]): Promise<readonly PresentedEvent[]> {
  const presented: PresentedEvent[] = [];
  for await (const piece of presentedPieces(reader, events)) presented.push(...piece);
  return presented;
}

/** The same as lines of JSON. Each piece is parsed just before it is written, so that little of a batch is alive when garbage is collected. */
export async function* eventLines(reader: NamesReader, batch: readonly StoredEvent[], known: KnownNames): AsyncGenerator<string> {
  for await (const piece of inPieces(batch)) {
    const events = piece.map(lineEvent);
    const names = await reader.read(events, known);
    let lines = '';
    for (const event of events) {
      lines += eventLine(event, ...wordsOf(event, names));
      if (lines.length < CHUNK) continue;
      yield lines;
      lines = '';
    }
    if (lines !== '') yield lines;
  }
}

const wordsOf = (event: NamingEvent & SentenceEvent, names: ReadNames): [actorName: string | null, summary: string] => [
  names.actor(event),
  summaryOf(event, names),
];

async function* inPieces<Item>(all: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < all.length; from += PIECE) {
    if (from > 0) await nextTurn();
    yield all.slice(from, from + PIECE);
  }
}

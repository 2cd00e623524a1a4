import type { ExportHead } from './export-head.ts';
import type { Finding } from './finding.ts';
import type { SealedEvent } from './leaf.ts';

/**
 * Whether the events, each proven to stand in the log, are exactly those that the head promised, once and in order. A hole in a
 * stream shows when the next event of the stream arrives; whether that event was removed or only moved, not before the end.
 */
export class ExportOrder {
  /** How many events stood where they belong. */
  proven = 0;
  #lastIndex: number;
  #hole: { readonly stream: string; readonly revision: number; readonly where: string } | null = null;
  /** The next revision of each stream. */
  readonly #next = new Map<string, number>();
  readonly #head: ExportHead;

  constructor(head: ExportHead) {
    this.#head = head;
    this.#lastIndex = head.span.after;
  }

  get hasHole(): boolean {
    return this.#hole !== null;
  }

  /** Null while nothing is known to be wrong. After a hole only the event that belongs into it matters. */
  take(event: SealedEvent, line: number): Finding | null {
    const { n, id, stream, revision } = event;
    const name = `event ${String(n)} (${id}, line ${String(line)})`;
    const finding = (kind: Finding['kind'], what: string): Finding => ({
      kind,
      message: `${name} ${what}`,
      index: n,
      event: id,
      stream,
      revision,
      line,
    });
    if (this.#hole !== null) {
      return this.#hole.stream === stream && this.#hole.revision === revision ? finding('moved', 'stands too late') : null;
    }
    const expected = this.#expected(event);
    if (expected === undefined) return finding('inserted', 'is an event of the log, but none of this export');
    if (revision < expected) return finding('inserted', 'stands there again');
    if (n <= this.#lastIndex) return finding('moved', `stands behind event ${String(this.#lastIndex)}`);
    if (revision > expected) this.#hole = { stream, revision: expected, where: `before ${name}` };
    this.#next.set(stream, revision + 1);
    this.#lastIndex = n;
    this.proven++;
    return null;
  }

  /** What is missing, once everything has been read. */
  finish(): Finding | null {
    const hole = this.#hole ?? this.#cutOff();
    if (hole === null) return null;
    const { stream, revision, where } = hole;
    return { kind: 'removed', stream, revision, message: `revision ${String(revision)} of ${stream} is missing ${where}` };
  }

  /** The revision that the stream of the event comes to next; undefined where the event has no place in this export. */
  #expected({ n, stream, revision, scope }: SealedEvent): number | undefined {
    const { span, streams } = this.#head;
    const ends = Object.hasOwn(streams, stream) ? streams[stream] : undefined;
    if (scope !== this.#head.scope || n <= span.after || n > span.until || ends === undefined) return undefined;
    const [first, last] = ends;
    return revision < first || revision > last ? undefined : (this.#next.get(stream) ?? first);
  }

  #cutOff(): { readonly stream: string; readonly revision: number; readonly where: string } | null {
    for (const [stream, [first, last]] of Object.entries(this.#head.streams)) {
      const revision = this.#next.get(stream) ?? first;
      if (revision <= last) return { stream, revision, where: `behind event ${String(this.#lastIndex)}, the last of the file` };
    }
    return null;
  }
}

import type { ExportHead } from './export-format.ts';
import type { Finding } from './finding.ts';
import type { SealedEvent } from './leaf.ts';

/**
 * Checks that the proven events are exactly those that the head states, once and in order. A gap in a stream is detected at the stream's next event; whether
 * the missing event was removed or only moved is known at the end.
 */
export class ExportOrder {
  /** Number of events in their right place. */
  proven = 0;
  #lastIndex: number;
  #gap: { readonly stream: string; readonly revision: number; readonly where: string } | null = null;
  /** The next revision of each stream. */
  readonly #next = new Map<string, number>();
  readonly #head: ExportHead;

  constructor(head: ExportHead) {
    this.#head = head;
    this.#lastIndex = head.span.after;
  }

  get hasGap(): boolean {
    return this.#gap !== null;
  }

  /** Null while no fault is known. After a gap only the event that belongs into it matters. */
  check(event: SealedEvent, line: number): Finding | null {
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
    if (this.#gap !== null) {
      return this.#gap.stream === stream && this.#gap.revision === revision ? finding('moved', 'comes too late') : null;
    }
    const expected = this.#expected(event);
    if (expected === undefined) return finding('inserted', 'is an event of the log, but does not belong to this export');
    if (revision < expected) return finding('inserted', 'is repeated');
    if (n <= this.#lastIndex) return finding('moved', `comes after event ${String(this.#lastIndex)}`);
    if (revision > expected) this.#gap = { stream, revision: expected, where: `before ${name}` };
    this.#next.set(stream, revision + 1);
    this.#lastIndex = n;
    this.proven++;
    return null;
  }

  /** The missing event, once all lines have been read. */
  finish(): Finding | null {
    const gap = this.#gap ?? this.#cutOff();
    if (gap === null) return null;
    const { stream, revision, where } = gap;
    return { kind: 'removed', stream, revision, message: `gap in stream ${stream}: revision ${String(revision)} is missing ${where}` };
  }

  /** The next expected revision of the event's stream; undefined when the event does not belong to this export. */
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
      if (revision <= last) return { stream, revision, where: `after event ${String(this.#lastIndex)}, the last of the file` };
    }
    return null;
  }
}

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** False for a truncated last line without line feed. */
  readonly whole: boolean;
}

export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Invalid UTF-8 decodes to '', never to replacement characters, which could match genuine ones. */
function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return '';
  }
}

/** Splits a byte stream into lines; memory: one line and one chunk. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, maxBytes = 256 * 1024 * 1024): AsyncGenerator<Line> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let number = 0;
  const completeLine = (end: Uint8Array, whole: boolean): Line => {
    const text = decode(pending.length === 0 ? end : Buffer.concat([...pending, end]));
    pending = [];
    pendingBytes = 0;
    return { number: ++number, text, whole };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      yield completeLine(chunk.subarray(from, to), true);
      from = to + 1;
    }
    if (from === chunk.length) continue;
    pending.push(Buffer.from(chunk.subarray(from)));
    pendingBytes += chunk.length - from;
    if (pendingBytes > maxBytes) throw new LineTooLong(`line ${String(number + 1)} is longer than ${String(maxBytes)} bytes`);
  }
  if (pending.length > 0) yield completeLine(new Uint8Array(0), false);
}

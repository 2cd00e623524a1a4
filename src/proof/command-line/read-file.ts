import { createReadStream } from 'node:fs';

/** Files of this size hold no page of 5 MiB and no statement of a year; exports, which are read line by line, have no limit. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The file cannot be what its beginning says. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** The first bytes of a file, or of standard input for `-`, and the whole of it. */
export async function peek(file: string, bytes: number): Promise<{ start: string; chunks: AsyncIterable<Uint8Array> }> {
  const stream: AsyncIterable<Uint8Array> = file === '-' ? process.stdin : createReadStream(file);
  const rest = stream[Symbol.asyncIterator]();
  let first = Buffer.alloc(0);
  while (first.length < bytes) {
    const next = await rest.next();
    if (next.done === true) break;
    first = Buffer.concat([first, next.value]);
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield first;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { start: first.subarray(0, bytes).toString(), chunks: chunks() };
}

/** Invalid bytes are refused: as replacement characters they would be equal to others. */
export async function textOf(chunks: AsyncIterable<Uint8Array>, limit = MAX_BYTES): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limit) throw new UnreadableFile(`the file is larger than ${String(limit / 1024 / 1024)} MiB`);
    parts.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch {
    throw new UnreadableFile('the file is not valid UTF-8');
  }
}

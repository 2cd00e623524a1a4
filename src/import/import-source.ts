import { gunzipSync } from 'node:zlib';
import { StartRefused } from '../kernel/start-refused.ts';
import { reasonOf } from '../kernel/system-error.ts';
import { boundedFile } from '../platform/cli/bounded-file.ts';

/** The largest file or answer that is read, compressed or not. */
const MAX_MIB = 100;
const MAX_BYTES = MAX_MIB * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** What the user names as SOURCE. */
export interface ImportSource {
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: number;
}

/** The text of an exported file: at most 100 MiB, in UTF-8. */
export const sourceText = ({ name }: ImportSource): string => decodedText(boundedFile(name, MAX_MIB), name);

export function decodedText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(uncompressed(bytes, name));
  } catch (error) {
    if (error instanceof StartRefused) throw error;
    throw new StartRefused(`${name}: is not a text in UTF-8`);
  }
}

/** Exports and sitemaps may be compressed by gzip. */
function uncompressed(bytes: Uint8Array, name: string): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    throw new StartRefused(`${name}: cannot be decompressed: ${reasonOf(error)}`);
  }
}

/** The web address answered something else than 200. */
export class SourceAnswers extends StartRefused {
  constructor(
    message: string,
    readonly status: number,
    /** In seconds. */
    readonly retryAfter: number | null,
  ) {
    super(message);
  }
}

/** The body of a web address, which must answer 200. A redirect would send the headers elsewhere, so with headers none is followed. */
export async function fetchSource(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Uint8Array> {
  try {
    const redirect = Object.keys(headers).length > 0 ? 'error' : 'follow';
    const response = await fetch(url, { headers, redirect, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const bytes = await boundedBody(response, url);
    if (response.status !== 200) throw refusalOf(response, `${url}: answers ${String(response.status)} ${firstLine(bytes)}`);
    return bytes;
  } catch (error) {
    if (error instanceof StartRefused) throw error;
    throw new StartRefused(`${url}: cannot be fetched: ${causeOf(error)}`);
  }
}

function refusalOf({ status, headers }: Response, message: string): SourceAnswers {
  const seconds = headers.get('retry-after') ?? '';
  return new SourceAnswers(message, status, /^\d+$/.test(seconds) ? Number(seconds) : null);
}

async function boundedBody(response: Response, url: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > MAX_BYTES) throw new StartRefused(`${url}: answers more than 100 MiB`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** fetch() wraps what went wrong. */
const causeOf = (error: unknown): string => reasonOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);

const firstLine = (body: Uint8Array): string => Buffer.from(body.subarray(0, 200)).toString().split('\n', 1)[0] ?? '';

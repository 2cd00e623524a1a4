import { PROVEN_RECORD, type ProvenRecord } from '../../status-pages/proven-record.ts';
import { isUrl } from '../../kernel/url.ts';
import { WrongUse } from '../../platform/cli/command.ts';
import { RefutedPage } from './refuted-page.ts';

const DEADLINE_MS = 30_000;
const MOST_BYTES = 32 * 1_024 * 1_024;

/** The page and its record could not be fetched: nothing is known. */
export class PageUnreachable extends Error {
  override readonly name = 'PageUnreachable';
}

/** The address of a page without a slash at its end: `https://host/status/slug`, or a host of its own. */
export function pageAddress(text: string): string {
  const url = isUrl(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new WrongUse(`--status-page: "${text}" is not the address of a page`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

async function fetched(url: string): Promise<string> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS), headers: { accept: '*/*' } });
    if (!answer.ok) throw new PageUnreachable(`${url} answered ${String(answer.status)}`);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of answer.body ?? []) {
      bytes += part.length;
      if (bytes > MOST_BYTES) throw new PageUnreachable(`${url} answered more than ${String(MOST_BYTES / 1_024 / 1_024)} MiB`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString('utf8');
  } catch (error) {
    if (error instanceof PageUnreachable) throw error;
    throw new PageUnreachable(`${url} could not be fetched: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export const fetchHtml = (page: string): Promise<string> => fetched(page.includes('/status/') ? page : `${page}/`);

export async function fetchRecord(page: string): Promise<ProvenRecord> {
  const text = await fetched(`${page}/record.json`);
  try {
    const value = JSON.parse(text) as ProvenRecord;
    if (value.format === PROVEN_RECORD && hasParts(value)) return value;
  } catch {
    // Refused below.
  }
  throw new RefutedPage(`${page}/record.json is not the record of a status page in the form ${PROVEN_RECORD}`);
}

const hasParts = ({ items, incidents, events, keys, checkpoint, title }: ProvenRecord): boolean =>
  [items, incidents, events, keys].every((list) => Array.isArray(list)) &&
  [checkpoint, title].every((text) => typeof text === 'string') &&
  events.every(({ n, path, leafHash }) => Number.isSafeInteger(n) && Array.isArray(path) && typeof leafHash === 'string') &&
  incidents.every(({ updates }) => Array.isArray(updates) && updates.every(({ wordings }) => Array.isArray(wordings)));

/** The hashes that show that the log of `to` events extends the log of `from`, in base64. */
export async function fetchConsistency(page: string, from: number, to: number): Promise<readonly string[]> {
  const { path } = JSON.parse(await fetched(`${page}/consistency/${String(from)}/${String(to)}`)) as { readonly path?: unknown };
  if (!Array.isArray(path)) throw new RefutedPage('the proof that the log was only extended is malformed');
  return path.map(String);
}

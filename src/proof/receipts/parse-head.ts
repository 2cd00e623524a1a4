import type { ReceivedAnswer } from '../../client/proofs/receipt/receipt-of-answer.ts';

/** What `curl --dump-header` wrote: of several heads the last one counts. Null where it has no status line. */
export function parseHead(text: string): Pick<ReceivedAnswer, 'status' | 'headers'> | null {
  const head =
    text
      .trimEnd()
      .split(/\r?\n\r?\n/)
      .at(-1) ?? '';
  const [first = '', ...lines] = head.split(/\r?\n/);
  const status = /^HTTP\/[\d.]+ (\d{3})/.exec(first)?.[1];
  if (status === undefined) return null;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).toLowerCase();
    const value = line.slice(at + 1).trim();
    // Lines of one field are joined, as a receiver does.
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name] ?? ''}, ${value}` : value;
  }
  return { status: Number(status), headers };
}

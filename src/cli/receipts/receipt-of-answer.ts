import { requestComponents } from '../../ledger/verify/receipt/receipt-components.ts';
import { formatReceiptFile } from '../../ledger/verify/receipt/receipt-file.ts';
import { componentOf } from '../../ledger/verify/receipt/signature-base.ts';
import { isInnerList, parseDictionary } from '../../ledger/verify/receipt/structured-field.ts';

/** An answer as it came over the network; header names in lower case. */
export interface ReceivedAnswer {
  readonly url: URL;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The file with what the signatures cover; null where the answer is not signed. */
export function receiptOfAnswer({ url, status, headers, body }: ReceivedAnswer): string | null {
  const { 'signature-input': input, signature } = headers;
  const members = input === undefined ? null : parseDictionary(input);
  if (input === undefined || signature === undefined || members === null) return null;
  const components = [...members.values()].flatMap((member) => (isInnerList(member) ? member.items : [])).map(componentOf);
  const target = { method: 'GET', scheme: url.protocol.slice(0, -1), authority: url.host, target: `${url.pathname}${url.search}` };
  const asked = requestComponents(target);
  const covered = (isOfRequest: boolean): readonly string[] =>
    components.flatMap((component) => (component?.isOfRequest === isOfRequest ? [component.name] : []));
  const pick = (names: readonly string[], from: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
  return formatReceiptFile({
    body: Buffer.from(body).toString('base64'),
    request: pick(covered(true), asked),
    response: { status, headers: { ...pick(covered(false), headers), 'signature-input': input, signature } },
  });
}

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

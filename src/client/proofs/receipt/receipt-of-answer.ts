import { base64Of } from '../base64.ts';
import { requestComponents } from './receipt-components.ts';
import { formatReceiptFile } from './receipt-file.ts';
import { componentOf } from './signature-base.ts';
import { isInnerList, parseDictionary } from './structured-field.ts';

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
    body: base64Of(body),
    request: pick(covered(true), asked),
    response: { status, headers: { ...pick(covered(false), headers), 'signature-input': input, signature } },
  });
}

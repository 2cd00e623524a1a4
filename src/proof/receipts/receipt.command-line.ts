import { readFileSync, writeFileSync } from 'node:fs';
import { isUrl } from '../../kernel/url.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { verifyReceipt } from '../../client/proofs/receipt/verify-receipt.ts';
import { type CliCommand, type CliInput, WrongUse } from '../../platform/cli/command.ts';
import { receiptOfAnswer, type ReceivedAnswer } from '../../client/proofs/receipt/receipt-of-answer.ts';
import { givenToken, tokenFile } from '../../platform/cli/server/connect.ts';

const TIMEOUT_MS = 60_000;

export const command: CliCommand = {
  about: 'Fetch an answer of the API with its signature (RFC 9421), as a file for `watchledger verify FILE --key VKEY`',
  args: ['URL'],
  options: {
    out: { type: 'string', value: 'FILE', about: 'output file (default: standard output)' },
    'token-file': tokenFile,
    head: { type: 'string', value: 'FILE', about: 'the head of an answer that `curl --dump-header` wrote; nothing is fetched' },
    body: { type: 'string', value: 'FILE', about: 'the body of that answer' },
  },
  run: async ({ input, output }) => {
    const [given = ''] = input.args;
    const url = isUrl(given) ? new URL(given) : null;
    if (url === null || !['http:', 'https:'].includes(url.protocol)) throw new WrongUse(`URL: '${given}' is not an http or https address`);
    const answer = readFiles(input, url) ?? (await fetchSigned(url, givenToken(input)));
    const text = receiptOfAnswer(answer);
    if (text === null) throw new StartRefused(`the answer is not signed: ${String(answer.status)} ${firstLine(answer.body)}`);
    // Every signature names its key, so that damage on the way is found now. Which key to trust is for the reader of the file to say.
    const verdict = verifyReceipt(text, [], Date.now());
    if (verdict.kind === 'refuted') throw new StartRefused(`the answer was changed on its way: ${verdict.reason}`);
    const file = input.text('out');
    if (file === undefined) {
      // The file is the result, with and without --json.
      process.stdout.write(text);
      return 0;
    }
    writeFileSync(file, text);
    output.result(
      { file, url: url.href },
      `${file}: the signed answer to GET ${url.href}\nCheck it with: watchledger verify ${file} --key VKEY`,
    );
    return 0;
  },
};

function readFiles(input: CliInput, url: URL): ReceivedAnswer | null {
  const [head, body] = [input.text('head'), input.text('body')];
  if (head === undefined && body === undefined) return null;
  if (head === undefined || body === undefined) throw new WrongUse('--head and --body: are needed together');
  const parsed = parseHead(readFileSync(head, 'latin1'));
  if (parsed === null) throw new WrongUse(`--head: ${head} is not the head of an HTTP answer`);
  return { url, ...parsed, body: readFileSync(body) };
}

async function fetchSigned(url: URL, token: string): Promise<ReceivedAnswer> {
  const headers = { authorization: `Bearer ${token}`, 'accept-signature': 'receipt=()', 'accept-encoding': 'identity' };
  // A redirect would send the token elsewhere.
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  return {
    url,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

const firstLine = (body: Uint8Array): string => Buffer.from(body.subarray(0, 300)).toString().split('\n', 1)[0] ?? '';

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

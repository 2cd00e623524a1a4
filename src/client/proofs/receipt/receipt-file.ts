import { canonicalJson, NotCanonical } from '../canonical-json.ts';

const FORMAT = 'watchledger-receipt/1';

/** A signed answer as a file: what the signatures cover, and nothing else. */
export interface ReceiptFile {
  /** The content of the answer, in base64. */
  readonly body: string;
  /** The components of the request by name, such as `@path`. */
  readonly request: Readonly<Record<string, string>>;
  readonly response: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
}

/** How the file begins, as its members are sorted. */
export const RECEIPT_FILE_HEAD = '{"body":"';

/** Canonical JSON (RFC 8785) and a line feed: one content has one form. */
export const formatReceiptFile = (file: ReceiptFile): string => `${canonicalJson({ ...file, format: FORMAT })}\n`;

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');

const membersOf = (value: object): string => Object.keys(value).sort().join();

/** The file, or why it is none. */
export function parseReceiptFile(text: string): ReceiptFile | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `the file is not valid JSON: ${error instanceof Error ? error.message : ''}`;
  }
  if (typeof value !== 'object' || value === null || membersOf(value) !== 'body,format,request,response')
    return 'the file has other members than a receipt has';
  const { format, body, request, response } = value as Readonly<Record<string, unknown>>;
  if (format !== FORMAT) return `the file is not of the format ${FORMAT}`;
  const isAnswer = typeof response === 'object' && response !== null && membersOf(response) === 'headers,status';
  const { status, headers } = isAnswer ? (response as Readonly<Record<string, unknown>>) : {};
  if (typeof body !== 'string' || !isTexts(request) || typeof status !== 'number' || !isTexts(headers))
    return 'a member of the receipt is malformed';
  const file = { body, request, response: { status, headers } };
  return isCanonical(file, text) ? file : 'the file is not in canonical form (RFC 8785 and a line feed)';
}

function isCanonical(file: ReceiptFile, text: string): boolean {
  try {
    return formatReceiptFile(file) === text;
  } catch (error) {
    if (error instanceof NotCanonical) return false;
    throw error;
  }
}

import { randomBytes, randomInt } from 'node:crypto';
import type { RequestBody } from '../probe/probe-request.ts';
import { encodeText } from '../page/encode-text.ts';
import type { FormField, FoundForm } from './found-form.ts';

export interface Submission {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body?: RequestBody;
}

const MAX_LETTERS = 64;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const RANDOM = /%\{random:(\d{1,3})\}/g;

/** Replaces `%{random:5}` by five random letters (docs/spec/decisions.md#T12). */
const fillRandom = (value: string): string =>
  value.replace(RANDOM, (_, count: string) =>
    Array.from({ length: Math.min(Number(count), MAX_LETTERS) }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
  );

type Pair = readonly [name: string, value: string];

/** Hidden fields from the page, other fields as saved, and saved fields that the page lacks. */
export function submittedFields(fields: readonly FormField[], saved: string, buttons: readonly string[] = []): Pair[] {
  const wanted = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(saved)) wanted.set(name, [...(wanted.get(name) ?? []), fillRandom(value)]);
  // Only one button is submitted: a saved one replaces the default button.
  const isPressed = buttons.some((name) => wanted.has(name));
  const pairs: Pair[] = [];
  const done = new Set<string>();
  for (const { name, value, hidden } of fields) {
    if (isPressed && buttons.includes(name) && !wanted.has(name)) continue;
    const values = hidden ? undefined : wanted.get(name);
    if (values === undefined) pairs.push([name, value]);
    else if (!done.has(name)) for (const one of values) pairs.push([name, one]);
    done.add(name);
  }
  for (const [name, values] of wanted) if (!done.has(name)) for (const value of values) pairs.push([name, value]);
  return pairs;
}

const lines = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n');

/** `application/x-www-form-urlencoded` of the bytes in the charset. */
const urlEncoded = (text: string, charset: string): string =>
  encodeText(text, charset)
    .toString('latin1')
    .replace(/[^A-Za-z0-9*._-]/g, (byte) => (byte === ' ' ? '+' : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`));

function multipart(pairs: readonly Pair[], charset: string): RequestBody {
  const boundary = `----form${randomBytes(12).toString('hex')}`;
  const quoted = (name: string): string => name.replace(/["\r\n]/g, (char) => (char === '"' ? '%22' : char === '\r' ? '%0D' : '%0A'));
  const parts = pairs.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: encodeText(`${parts.join('')}--${boundary}--\r\n`, charset),
  };
}

type Submitted = Pick<FoundForm, 'method' | 'action' | 'encoding' | 'charset' | 'fields' | 'buttons'>;

/** The request that a browser would send. For GET the parameters are appended to the query string (docs/spec/interface.md#area-group-of-checks). */
export function submissionOf({ method, action, encoding, charset, fields, buttons }: Submitted, saved: string): Submission {
  // Browsers put the charset into a hidden field of this name.
  const filled = fields.map((field) => (field.hidden && field.name.toLowerCase() === '_charset_' ? { ...field, value: charset } : field));
  const pairs = submittedFields(filled, saved, buttons).map(([name, value]): Pair => [name, lines(value)]);
  const encoded = pairs.map((pair) => pair.map((text) => urlEncoded(text, charset)).join('=')).join('&');
  if (method === 'GET') {
    const url = new URL(action);
    url.hash = '';
    url.search = [url.search.slice(1), encoded].filter((part) => part !== '').join('&');
    return { method, url: url.href };
  }
  if (encoding === 'multipart/form-data') return { method, url: action, body: multipart(pairs, charset) };
  if (encoding === 'text/plain') {
    const text = pairs.map(([name, value]) => `${name}=${value}\r\n`).join('');
    return { method, url: action, body: { contentType: 'text/plain', bytes: encodeText(text, charset) } };
  }
  return { method, url: action, body: { contentType: encoding, bytes: Buffer.from(encoded) } };
}

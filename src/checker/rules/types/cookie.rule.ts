import { cookieAttributes } from '../../../projects/checks/rule-type.ts';
import { ofNumber, ofText } from '../comparers.ts';
import { type RuleRow, textRow } from '../rule-row.ts';
import type { StoredAnswer } from '../stored-answer.ts';

type Attribute = (typeof cookieAttributes)[number];

const WRITTEN: Readonly<Record<Attribute, string>> = {
  domain: 'Domain',
  path: 'Path',
  expires: 'Expires',
  'max-age': 'Max-Age',
  secure: 'Secure',
  httponly: 'HttpOnly',
  samesite: 'SameSite',
  partitioned: 'Partitioned',
};
const FLAGS: readonly string[] = ['secure', 'httponly', 'partitioned'] satisfies Attribute[];
/** A browser ignores longer ones (RFC 6265bis, section 5.6). */
const MAX_VALUE = 1024;

/** The last of several values of an attribute counts, as in browsers. */
function attributesOf(line: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const part of line.split(';').slice(1)) {
    const equals = part.indexOf('=');
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    const value = equals < 0 ? '' : part.slice(equals + 1).trim();
    if (value.length <= MAX_VALUE) attributes.set(name, FLAGS.includes(name) ? '' : value);
  }
  return attributes;
}

/** The `Set-Cookie` lines of a name, which is compared in its own case. */
const linesOf = ({ headers }: StoredAnswer, name: string): string[] =>
  headers.flatMap(([key, line]) => {
    if (key.toLowerCase() !== 'set-cookie' || !line.includes(name)) return [];
    const [pair = ''] = line.split(';', 1);
    return pair.slice(0, Math.max(0, pair.indexOf('='))).trim() === name ? [line] : [];
  });

/** `Path=/; Secure; HttpOnly`: always in this order and spelling, and without the value of the cookie, which is a secret. */
function written(attributes: ReadonlyMap<string, string>): string {
  const parts = cookieAttributes.flatMap((name) => {
    const value = attributes.get(name);
    return value === undefined ? [] : [FLAGS.includes(name) ? WRITTEN[name] : `${WRITTEN[name]}=${value}`];
  });
  return parts.join('; ');
}

/** `cookie:<name>`: the attributes of a cookie of this answer, and `cookie:<name>:<attribute>` one of them, empty for a flag. */
export function cookieRow(parameter: string): RuleRow {
  const [name = '', attribute] = parameter.split(':');
  return textRow(
    attribute === undefined ? `the cookie ${name}` : `${attribute} of the cookie ${name}`,
    attribute === undefined ? 'no such cookie' : 'no such attribute or cookie',
    (answer) => {
      const found = linesOf(answer, name).map(attributesOf);
      return { values: attribute === undefined ? found.map(written) : found.flatMap((one) => one.get(attribute) ?? []) };
    },
    { comparers: attribute === 'max-age' ? ofNumber : ofText, reads: 'head' },
  );
}

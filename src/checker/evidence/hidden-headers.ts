import type { ShownHeader } from '../../platform/observations/exchanges/exchange.ts';
import type { ConclusiveOutcome, HeaderLine, SentRequest } from '../probe/outcome.ts';

/** Stands for a secret inside a text. */
export const HIDDEN = '(hidden)';

/** Shorter values occur in any text. */
const MIN_SECRET_LENGTH = 6;
/** Answers that hand out a credential. */
const CREDENTIAL = /(?:^|-)(?:authorization|authentication|auth|token|secret|password|session|jwt|csrf|xsrf|api-?key)(?:-|$)/i;

/** The secret values of a request, and their words: a site may send back a token without its scheme. The longest first. */
export function secretsOfRequest(sent: SentRequest | null): readonly string[] {
  if (sent === null) return [];
  return longestFirst(
    sent.headers.flatMap(([name, value]) => (sent.secret.has(name.toLowerCase()) ? [value, ...value.split(/[\s;,=]+/)] : [])),
  );
}

/** The values that the headers of an answer hand out: of cookies and credentials. */
const secretsOfAnswer = (headers: readonly HeaderLine[]): readonly string[] =>
  longestFirst(
    headers.flatMap(([name, value]) => {
      if (name.toLowerCase() === 'set-cookie')
        return [
          value
            .split(';', 1)[0]
            ?.replace(/^[^=]*=/, '')
            .trim() ?? '',
        ];
      return CREDENTIAL.test(name) ? [value] : [];
    }),
  );

/** What a text about an outcome may quote: secrets that were sent and came back, and those that the answer hands out. */
export const secretsOfOutcome = (outcome: ConclusiveOutcome): readonly string[] => [
  ...secretsOfRequest(outcome.sent ?? null),
  ...(outcome.kind === 'answered' ? secretsOfAnswer(outcome.headers) : []),
];

const longestFirst = (secrets: readonly string[]): readonly string[] =>
  [...new Set(secrets)].filter(({ length }) => length >= MIN_SECRET_LENGTH).sort((one, other) => other.length - one.length);

export const withoutSecretText = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN).replaceAll(encodeURIComponent(secret), HIDDEN), text);

/** A line of an answer as it is kept: a cookie with its name and attributes, a credential with its name only. */
export function hiddenHeader([name, value]: HeaderLine, secrets: readonly string[]): ShownHeader {
  if (name.toLowerCase() === 'set-cookie') return [name, withoutSecretText(cookieWithoutValue(value), secrets)];
  if (CREDENTIAL.test(name)) return [name, null];
  return [name, withoutSecretText(value, secrets)];
}

/** A line of an answer in the results of a test: a cookie that the site sets has its name and its attributes. */
export const hiddenCookie = ([name, value]: HeaderLine): HeaderLine => [
  name,
  name.toLowerCase() === 'set-cookie' ? cookieWithoutValue(value) : value,
];

function cookieWithoutValue(line: string): string {
  const [pair = ''] = line.split(';', 1);
  const equals = pair.indexOf('=');
  return `${equals < 0 ? '' : pair.slice(0, equals)}=${HIDDEN}${line.slice(pair.length)}`;
}

/** Whether a rule on the headers cannot be judged by them alone. */
export const isPartlyHidden = (headers: readonly ShownHeader[]): boolean => headers.some(([, value]) => value?.includes(HIDDEN) !== false);

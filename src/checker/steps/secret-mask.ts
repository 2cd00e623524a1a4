import { MASK } from '../../kernel/text.ts';
import type { ConclusiveOutcome, HeaderLine, RedirectHop } from '../probe/outcome.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';
import type { FetchedAnswer } from '../runs/run-observation.ts';

/** Texts often show only a part of a value: as many characters in a row as this give it away. */
const SHINGLE = 8;

/** The spellings in which an answer may repeat a value. */
const spellings = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  encodeURIComponent(secret).replace(/%20/g, '+'),
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  secret.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`),
  secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
];

/** Removes extracted secrets from what is stored about a run. */
export class SecretMask {
  private readonly secrets: readonly string[];
  /** By length: each row of so many characters of a secret. */
  private readonly shingles = new Map<number, Set<string>>();

  constructor(secrets: Iterable<string>) {
    this.secrets = [...new Set([...secrets].flatMap(spellings))].sort((a, b) => b.length - a.length);
    for (const secret of this.secrets) {
      const length = Math.min(SHINGLE, secret.length);
      const known = this.shingles.get(length) ?? new Set();
      for (let at = 0; at + length <= secret.length; at++) known.add(secret.slice(at, at + length));
      this.shingles.set(length, known);
    }
  }

  get isEmpty(): boolean {
    return this.secrets.length === 0;
  }

  /** Without each part of a secret of eight characters or more. */
  text(text: string): string {
    const end = new Uint32Array(text.length);
    for (const [length, known] of this.shingles)
      for (let at = 0; at + length <= text.length; at++)
        if (known.has(text.slice(at, at + length))) end[at] = Math.max(end[at] ?? 0, at + length);
    let masked = '';
    for (let at = 0; at < text.length;) {
      let until = end[at] ?? 0;
      if (until === 0) {
        masked += text.charAt(at++);
        continue;
      }
      while (at < until) until = Math.max(until, end[at++] ?? 0);
      masked += MASK;
    }
    return masked;
  }

  /** Whole secrets only, because a page is large. The same bytes where there is none. */
  bytes(body: Uint8Array): Uint8Array {
    let masked = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    for (const secret of this.secrets) if (masked.includes(secret)) masked = withoutBytes(masked, Buffer.from(secret));
    return masked.length === body.length && masked.equals(body) ? body : masked;
  }
}

function withoutBytes(body: Buffer<ArrayBuffer | SharedArrayBuffer>, secret: Buffer): Buffer<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = body.indexOf(secret); at >= 0; at = body.indexOf(secret, from)) {
    parts.push(body.subarray(from, at), Buffer.from(MASK));
    from = at + secret.length;
  }
  return Buffer.concat([...parts, body.subarray(from)]);
}

/** Secrets of a journey, in what a site was sent and answered: it may repeat them anywhere. Names of headers stay. */
export function maskedFetch(fetched: FetchedAnswer, mask: SecretMask): FetchedAnswer {
  if (mask.isEmpty) return fetched;
  const { outcome, answer } = fetched;
  if (answer === null) return { outcome: { ...outcome, ...maskedJourney(outcome, mask), reason: mask.text(outcome.reason) }, answer };
  const shown = maskedAnswer(answer, mask);
  const { headers, statusText, body } = shown;
  return { outcome: { ...outcome, ...maskedJourney(outcome, mask), headers, statusText, body }, answer: shown };
}

const maskedJourney = ({ url, hops, sent }: ConclusiveOutcome, mask: SecretMask) => ({
  url: mask.text(url),
  hops: hops.map((hop): RedirectHop => ({ ...hop, ...maskedTexts({ url: hop.url, location: hop.location, to: hop.to }, mask) })),
  ...(sent && { sent: { ...sent, url: mask.text(sent.url), headers: maskedHeaders(sent.headers, mask) } }),
});

const maskedAnswer = (answer: StoredAnswer, mask: SecretMask): StoredAnswer => ({
  ...answer,
  ...maskedTexts({ url: answer.url, statusText: answer.statusText }, mask),
  headers: maskedHeaders(answer.headers, mask),
  redirectedBy: answer.redirectedBy && maskedTexts(answer.redirectedBy, mask),
  body: mask.bytes(answer.body),
});

const maskedHeaders = (headers: readonly HeaderLine[], mask: SecretMask): readonly HeaderLine[] =>
  headers.map(([name, value]) => [name, mask.text(value)]);

const maskedTexts = <Texts extends Readonly<Record<string, string>>>(texts: Texts, mask: SecretMask): Texts =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, mask.text(text)])) as Texts; // the same keys

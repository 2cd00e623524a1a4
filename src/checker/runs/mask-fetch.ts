import type { ConclusiveOutcome, HeaderLine, RedirectHop } from '../probe/outcome.ts';
import type { StoredAnswer } from '../rules/stored-answer.ts';
import type { SecretMask } from '../steps/secret-mask.ts';
import type { FetchedAnswer } from './run-observation.ts';

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

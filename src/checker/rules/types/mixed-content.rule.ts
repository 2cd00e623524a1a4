import type { Page } from '../../page/page.ts';
import { ofNumber } from '../comparers.ts';
import { policiesOf } from '../content-security-policy.ts';
import { baseOf, resolved } from '../links.ts';
import { textRow } from '../rule-row.ts';
import type { StoredAnswer } from '../stored-answer.ts';

/** Browsers trust these without TLS. */
const LOCAL = /^http:\/\/(?:localhost|[^/]*\.localhost|127\.[\d.]+|\[::1\])(?::\d+)?\//;

/** Addresses without TLS that a page with TLS fetches or sends forms to; none where its policy has browsers upgrade them. */
function insecureOf(answer: StoredAnswer, page: Page): string[] {
  if (!answer.url.startsWith('https:')) return [];
  if (policiesOf(answer, page).some((policy) => policy.has('upgrade-insecure-requests'))) return [];
  const base = baseOf(answer, page);
  const addresses = page.elements.resources.map((address) => resolved(address, base));
  return [...new Set(addresses.filter((address) => address.startsWith('http:') && !LOCAL.test(address)))];
}

/** The first resource of the page with an address. */
export function resourceIndex(answer: StoredAnswer, page: Page, address: string): number {
  const base = baseOf(answer, page);
  return page.elements.resources.findIndex((one) => resolved(one, base) === address);
}

/** `mixed-content`: those addresses. */
export const mixedContentRow = textRow(
  'the mixed content',
  'no mixed content',
  (answer, page) => ({ values: insecureOf(answer, page), moreToCome: page.cut }),
  { reads: 'head', isExpensive: true },
);

/** `mixed-content:count`: how many. */
export const mixedContentCountRow = textRow(
  'the number of insecure addresses',
  'no number',
  (answer, page) => ({ values: [String(insecureOf(answer, page).length)], unfinished: page.cut }),
  { comparers: ofNumber, reads: 'head', isExpensive: true },
);

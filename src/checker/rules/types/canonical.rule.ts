import type { LinkElement } from '../../page/page-elements.ts';
import type { Page } from '../../page/page.ts';
import { baseOf, linksOf, resolved } from '../links.ts';
import { textRow } from '../rule-row.ts';
import type { StoredAnswer } from '../stored-answer.ts';

/** The link that gave a value. */
export function canonicalLink(answer: StoredAnswer, page: Page, value: string): LinkElement | undefined {
  const base = baseOf(answer, page);
  return linksOf(answer, page, 'canonical').find(({ href }) => href === value || resolved(href, base) === value);
}

/** `link-canonical`: the canonical address that the page or its `Link` header names, as sent and resolved. */
export const canonicalRow = textRow(
  'the canonical link',
  'no canonical link',
  (answer, page) => {
    const base = baseOf(answer, page);
    const values = linksOf(answer, page, 'canonical').flatMap(({ href }) => [resolved(href, base), href]);
    return { values: [...new Set(values)], moreToCome: page.cut };
  },
  { reads: 'head', isExpensive: true },
);

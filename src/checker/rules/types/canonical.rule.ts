import { baseOf, linksOf, resolved } from '../links.ts';
import { textRow } from '../rule-row.ts';

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

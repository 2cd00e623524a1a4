import type { Page } from '../../page/page.ts';
import { ofLanguage } from '../comparers.ts';
import { baseOf, linksOf, resolved } from '../links.ts';
import { type RuleRow, textRow } from '../rule-row.ts';
import type { StoredAnswer } from '../stored-answer.ts';

interface Alternate {
  readonly lang: string;
  readonly href: string;
}

const alternatesOf = (answer: StoredAnswer, page: Page): Alternate[] =>
  linksOf(answer, page, 'alternate').flatMap(({ hreflang, href }) => (hreflang === null ? [] : [{ lang: hreflang, href }]));

/** `hreflang`: the languages that the page offers. */
export const languagesRow = textRow(
  'the languages of the page',
  'no language',
  (answer, page) => ({ values: alternatesOf(answer, page).map(({ lang }) => lang), moreToCome: page.cut }),
  { comparers: ofLanguage, reads: 'head', isExpensive: true },
);

/** `hreflang:<language>`: the address of the page in one of them, resolved. */
export const hreflangRow = (language: string): RuleRow =>
  textRow(
    `the address of the language ${language}`,
    'no such language',
    (answer, page) => {
      const base = baseOf(answer, page);
      const wanted = alternatesOf(answer, page).filter(({ lang }) => lang.toLowerCase() === language.toLowerCase());
      return { values: wanted.map(({ href }) => resolved(href, base)), moreToCome: page.cut };
    },
    { reads: 'head', isExpensive: true },
  );

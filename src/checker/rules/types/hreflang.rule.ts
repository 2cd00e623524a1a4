import type { LinkElement } from '../../page/page-elements.ts';
import type { Page } from '../../page/page.ts';
import { ofLanguage } from '../comparers.ts';
import { baseOf, linksOf, resolved } from '../links.ts';
import { type RuleRow, textRow } from '../rule-row.ts';
import type { StoredAnswer } from '../stored-answer.ts';

interface Alternate {
  readonly lang: string;
  readonly href: string;
  readonly link: LinkElement;
}

const alternatesOf = (answer: StoredAnswer, page: Page): Alternate[] =>
  linksOf(answer, page, 'alternate').flatMap((link) => (link.hreflang === null ? [] : [{ lang: link.hreflang, href: link.href, link }]));

/** The links of a language, or of all, in the order of their values. */
export const alternatesIn = (answer: StoredAnswer, page: Page, language: string | null): readonly Alternate[] =>
  alternatesOf(answer, page).filter(({ lang }) => language === null || lang.toLowerCase() === language.toLowerCase());

/** `hreflang`: the languages that the page offers. */
export const languagesRow = textRow(
  'the languages of the page',
  'no language',
  (answer, page) => ({ values: alternatesIn(answer, page, null).map(({ lang }) => lang), moreToCome: page.cut }),
  { comparers: ofLanguage, reads: 'head', isExpensive: true },
);

/** `hreflang:<language>`: the address of the page in one of them, resolved. */
export const hreflangRow = (language: string): RuleRow =>
  textRow(
    `the address of the language ${language}`,
    'no such language',
    (answer, page) => {
      const base = baseOf(answer, page);
      return { values: alternatesIn(answer, page, language).map(({ href }) => resolved(href, base)), moreToCome: page.cut };
    },
    { reads: 'head', isExpensive: true },
  );

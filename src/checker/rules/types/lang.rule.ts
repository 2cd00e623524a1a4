import { ofLanguage } from '../comparers.ts';
import { textRow } from '../rule-row.ts';

/** `lang`: the language that the page declares at its root. */
export const langRow = textRow(
  'the language',
  'no language',
  (_, page) => ({
    values: [page.elements.lang].flatMap((lang) => lang?.trim() ?? []),
    moreToCome: page.cut && page.elements.lang === null,
  }),
  { comparers: ofLanguage, isExpensive: true },
);

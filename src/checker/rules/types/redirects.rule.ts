import { ofNumber } from '../comparers.ts';
import { textRow } from '../rule-row.ts';
import { redirectsOf } from '../stored-answer.ts';

/** `redirects`: how many were followed. */
export const redirectCountRow = textRow(
  'the number of redirects',
  'no number',
  (answer) => ({ values: [redirectsOf(answer)].flatMap((count) => (count === undefined ? [] : [String(count)])) }),
  { comparers: ofNumber, reads: 'redirects' },
);

/** `redirects:target`: the address that answered in the end. */
export const redirectTargetRow = textRow(
  'the target of the redirects',
  'no redirect',
  ({ redirectedBy, url }) => ({ values: redirectedBy === null ? [] : [url] }),
  { reads: 'head' },
);

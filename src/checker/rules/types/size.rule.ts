import { ofNumber } from '../comparers.ts';
import { textRow } from '../rule-row.ts';

/** `size`: bytes of the body, without its content coding. */
export const sizeRow = textRow('the size in bytes', 'no body', ({ body, cut }) => ({ values: [String(body.length)], unfinished: cut }), {
  comparers: ofNumber,
});

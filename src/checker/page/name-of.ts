import { shortened } from '../rules/sentences.ts';
import { collapsed } from './page-facts.ts';

const LONGEST_NAME = 200;

/** What a page says of itself or of another, as the name of a check: no more than a client may write, and text that every store holds. */
export const nameOf = (text: string): string => shortened(collapsed(collapsed(text).replace(/\p{Cc}/gu, '')), LONGEST_NAME);

import { shortened } from '../../kernel/text.ts';
import { collapsed } from './page-facts.ts';

const MAX_NAME_LENGTH = 200;

/** A title or link text as the name of a check: as long as the API allows, and without control characters, which not every store accepts. */
export const checkNameOf = (text: string): string => shortened(collapsed(collapsed(text).replace(/\p{Cc}/gu, '')), MAX_NAME_LENGTH);

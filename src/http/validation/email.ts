import { isEmail } from 'class-validator';
import { IsThat } from './is-that.ts';
import { isPlainText } from './plain-text.ts';

const MAX_LENGTH = 254;

/** The look at the text comes first: the parser of addresses throws at half a surrogate pair. */
export const IsEmailAddress = (): PropertyDecorator =>
  IsThat((value) => isPlainText(value, MAX_LENGTH) && isEmail(value), 'must be an e-mail address');

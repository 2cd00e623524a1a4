import { IsThat } from './is-that.ts';

// eslint-disable-next-line no-control-regex -- control characters are what is refused
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Text that every store and every recipient can hold: bounded, well-formed Unicode, no control characters but tab and line ends. */
export const isPlainText = (value: unknown, maximum: number): boolean =>
  typeof value === 'string' && value.length <= maximum && !CONTROL.test(value) && isWellFormed(value);

const isWellFormed = (text: string): boolean => !/[\ud800-\udfff]/u.test(text);

export const IsPlainText = (maximum: number): PropertyDecorator =>
  IsThat((value) => isPlainText(value, maximum), `must be text of at most ${String(maximum)} characters without control characters`);

/** Some text, and not too much. */
export const IsFilledText = (maximum: number): PropertyDecorator =>
  IsThat(
    (value) => value !== '' && isPlainText(value, maximum),
    `must be text of 1 to ${String(maximum)} characters without control characters`,
  );

/** A list of texts, maybe an empty one. */
export const ArePlainText = (maximum: number, length: number): PropertyDecorator =>
  IsThat(
    (value) => Array.isArray(value) && value.length <= length && value.every((one) => isPlainText(one, maximum)),
    `must be a list of at most ${String(length)} texts of at most ${String(maximum)} characters`,
  );

/** A password may hold whatever a keyboard gives. */
export const IsPassword = (least: number, most: number): PropertyDecorator =>
  IsThat(
    (value) => typeof value === 'string' && value.length >= least && value.length <= most,
    `must be text of ${String(least)} to ${String(most)} characters`,
  );

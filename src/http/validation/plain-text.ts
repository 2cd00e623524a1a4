// eslint-disable-next-line no-control-regex -- control characters are what is refused
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Text that every store and every recipient can hold: bounded, well-formed Unicode, no control characters except tab and line ends. */
export const isPlainText = (value: unknown, maximum: number): value is string =>
  typeof value === 'string' && value.length <= maximum && !CONTROL.test(value) && isWellFormed(value);

const isWellFormed = (text: string): boolean => !/[\ud800-\udfff]/u.test(text);

import { IsThat } from './is-that.ts';

const isTimeZone = (value: unknown): boolean => {
  if (typeof value !== 'string' || !/^[A-Za-z][\w+/-]{0,63}$/.test(value)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
};

/** A name such as `Europe/Prague`. */
export const IsTimeZone = (): PropertyDecorator => IsThat(isTimeZone, 'must be the name of a time zone, such as Europe/Prague');

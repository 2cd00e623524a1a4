import { IsRead } from './is-that.ts';

const DIGITS = /^-?\d{1,15}$/;
const numberOf = (value: unknown): unknown => (typeof value === 'string' && DIGITS.test(value) ? Number(value) : value);
const isWhole = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

/** A whole number, also one that came as text. */
export const IsWhole = (least: number, most: number): PropertyDecorator =>
  IsRead(numberOf, (value) => isWhole(value, least, most), `must be a whole number from ${String(least)} to ${String(most)}`);

/** A list of them, at least one. Ids of users stand as numbers in a project and as text in a user: both come back. */
export const AreWhole = (least: number, most: number, length: number): PropertyDecorator =>
  IsRead(
    (value) => (Array.isArray(value) ? value.map(numberOf) : value),
    (value) => Array.isArray(value) && value.length > 0 && value.length <= length && value.every((one) => isWhole(one, least, most)),
    `must be a list of 1 to ${String(length)} whole numbers from ${String(least)} to ${String(most)}`,
  );

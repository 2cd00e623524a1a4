/** A place in the server's own log. */
export interface Position {
  readonly commit: bigint;
  readonly prepare: bigint;
}

const DIGITS = 20;
const FORM = /^(\d{20}):(\d{20})$/;

const digits = (value: bigint): string => value.toString().padStart(DIGITS, '0');

/** `commit:prepare`, padded to the width of an unsigned 64-bit number, so that positions compare as text, in the database too. */
export const formatPosition = ({ commit, prepare }: Position): string => `${digits(commit)}:${digits(prepare)}`;

export function parsePosition(text: string): Position {
  const match = FORM.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) throw new RangeError(`"${text}" is not a position of a KurrentDB log`);
  return { commit: BigInt(match[1]), prepare: BigInt(match[2]) };
}

/** The server writes "before everything" as the largest number there is: taken for a place, it would be behind everything. */
const PLACES = 1n << 63n;

export const isPlace = ({ commit, prepare }: Position): boolean => commit < PLACES && prepare < PLACES;

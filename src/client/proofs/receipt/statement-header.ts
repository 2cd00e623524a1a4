import { type BareItem, type Dictionary, isInnerList, type Item, parseDictionary, serializeDictionary, Token } from './structured-field.ts';

/** `Watchledger-Receipt`: what an answer is a statement of, and what it was computed from besides the position. */
export interface StatementHeader {
  /** `log`: a function of the log up to the position; `service`: measurements, tables beside the log or the clock entered, too. */
  readonly statementOf: 'log' | 'service';
  /** "Now" in the answer, as ISO 8601. */
  readonly at: string;
  /** Whose rights it was computed with. */
  readonly account: number;
  /** The position at which these rights were read. */
  readonly rightsAsOf: number;
  /** The version of the program. */
  readonly program: string;
}

const item = (value: BareItem): Item => ({ value, params: new Map() });

export const formatStatementHeader = ({ statementOf, at, account, rightsAsOf, program }: StatementHeader): string =>
  serializeDictionary(
    new Map([
      ['statement-of', item(new Token(statementOf))],
      ['at', item(at)],
      ['account', item(account)],
      ['rights-as-of', item(rightsAsOf)],
      ['program', item(program)],
    ]),
  );

/** Null where it is malformed. */
export function parseStatementHeader(text: string): StatementHeader | null {
  const members = parseDictionary(text);
  if (members === null) return null;
  const [kind, at, account, rightsAsOf, program] = ['statement-of', 'at', 'account', 'rights-as-of', 'program'].map((name) =>
    valueOf(members, name),
  );
  const statementOf = kind instanceof Token && (kind.name === 'log' || kind.name === 'service') ? kind.name : null;
  if (statementOf === null || typeof at !== 'string' || Number.isNaN(Date.parse(at)) || typeof program !== 'string') return null;
  if (typeof account !== 'number' || typeof rightsAsOf !== 'number') return null;
  return { statementOf, at, account, rightsAsOf, program };
}

function valueOf(members: Dictionary, name: string): unknown {
  const member = members.get(name);
  return member === undefined || isInnerList(member) ? undefined : member.value;
}

import { codeOf } from '../../kernel/system-error.ts';

/** Why a database or an event store refuses work; the label of a metric, and the words for an operator. */
export type OutageCause =
  | 'disk_full'
  | 'read_only'
  | 'too_many_connections'
  | 'out_of_memory'
  | 'login_refused'
  | 'starting_or_stopping'
  | 'unreachable'
  | 'silent'
  | 'other';

interface Row {
  readonly cause: OutageCause;
  /** Class or code of SQLSTATE, or of a system call. */
  readonly code: RegExp;
}

/** SQLSTATE 28: a role or a password that the database does not accept, at each new connection. */
const LOGIN_REFUSED = /^28/;

const BY_CODE: readonly Row[] = [
  { cause: 'disk_full', code: /^(53100|ENOSPC)$/ },
  { cause: 'read_only', code: /^25006$/ },
  { cause: 'too_many_connections', code: /^53300$/ },
  { cause: 'out_of_memory', code: /^53200$/ },
  { cause: 'login_refused', code: LOGIN_REFUSED },
  { cause: 'starting_or_stopping', code: /^57P/ },
  { cause: 'unreachable', code: /^(08|E(CONN|PIPE|HOST|NET|NOTFOUND|AI_AGAIN))/ },
  { cause: 'silent', code: /^(ETIMEDOUT|57014)$/ },
];

/** The deepest error of a chain of causes: the database's own words. */
export function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  return root;
}

export function outageCauseOf(error: unknown): OutageCause {
  const root = rootOf(error);
  if (root instanceof AggregateError && root.errors.length > 0) return outageCauseOf(root.errors[0]);
  const code = codeOf(root) ?? '';
  const known = BY_CODE.find((row) => row.code.test(code));
  if (known !== undefined) return known.cause;
  const message = root instanceof Error ? root.message : '';
  if (/time(d )?out|timeout|no answer within|does not answer/i.test(message)) return 'silent';
  return /connection|terminated/i.test(message) ? 'unreachable' : 'other';
}

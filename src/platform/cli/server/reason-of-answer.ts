import { ApiError, NoAnswer } from '../../../client/api-error.ts';
import { reasonOf } from '../../../kernel/system-error.ts';

/** What a user of the command line can do about a server that refuses or does not answer; null: the error is none of these. */
export function reasonOfAnswer(error: unknown): string | null {
  if (error instanceof NoAnswer) return `${error.message} (${rootReasonOf(error)}); is the address of --server or WATCHLEDGER_URL right?`;
  if (!(error instanceof ApiError)) return null;
  if (error.status === 401)
    return 'the server does not accept the token of WATCHLEDGER_TOKEN or --token-file: it is of another server, or has expired or been revoked';
  if (error.errorCode === 'SCOPE_MISSING') return `${error.message} Give one that has it, or one that is not narrowed.`;
  if (error.status === 403) return `${error.message} The account of the token may lack the right for it.`;
  return error.message;
}

/** That of the system, such as `connect ECONNREFUSED …`. */
export function rootReasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? rootReasonOf(cause) : reasonOf(error);
}

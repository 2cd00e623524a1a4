import { ApiError, NoAnswer } from '../../client/api-error.ts';
import { reasonOf } from '../../kernel/system-error.ts';

/** What a user of the command line can do about a server that refuses or does not answer; null: the error is none of these. */
export function reasonOfAnswer(error: unknown): string | null {
  if (error instanceof NoAnswer) return `${error.message} (${rootReason(error)}); is the address of --server or WATCHLEDGER_URL right?`;
  if (!(error instanceof ApiError)) return null;
  if (error.status === 401)
    return 'the server does not accept the token of WATCHLEDGER_TOKEN or --token-file: it is of another server, or has expired or been revoked';
  if (error.status === 403) return `${error.message} The token may lack a scope for it, or its account the right.`;
  return error.message;
}

function rootReason(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? rootReason(cause) : reasonOf(error);
}

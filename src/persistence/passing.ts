/** SQLSTATE: the connection, a conflict of transactions, no room, a lock that was not to be had, a server that stops or starts, or is a standby still. */
const SERVER = /^(08|40|53|55P03|57P|25006)/;
const NETWORK = /^E(CONN[A-Z]+|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|NETDOWN)$/;

/** Errors of a database that say nothing about what was asked of it: trying again may help. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Of a name with several addresses, each of which was tried.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isPassing);
  if ('code' in error && typeof error.code === 'string') return SERVER.test(error.code) || NETWORK.test(error.code);
  return /connection|terminated|timeout exceeded|query read timeout/i.test(error.message) && !('severity' in error);
}

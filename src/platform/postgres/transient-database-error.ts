/** Classes and codes of SQLSTATE: connection (08), login refused while a password is changed (28), transaction conflict (40), out of resources (53), lock not available, server starting or stopping (57P), read-only standby. */
const TRANSIENT_STATES = /^(08|28|40|53|55P03|57P|25006)/;
const NETWORK_ERRORS = /^E(CONN[A-Z]+|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|NETDOWN)$/;

/**
 * Connection lost, login refused, serialization failure, out of resources, lock not available, server starting or stopping, read-only standby: the error is
 * not about the statement, and a retry may succeed.
 */
export function isTransientDatabaseError(error: unknown): boolean {
  if (!isErrorLike(error)) return false;
  // Node reports a host name with several addresses as one error per address.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isTransientDatabaseError);
  if ('code' in error && typeof error.code === 'string') return TRANSIENT_STATES.test(error.code) || NETWORK_ERRORS.test(error.code);
  return /connection|terminated|timeout exceeded|query read timeout/i.test(error.message) && !('severity' in error);
}

/** Without `instanceof`, because errors of the system may come from another realm. */
const isErrorLike = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';

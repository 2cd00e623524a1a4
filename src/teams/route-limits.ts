/** Names the read replica that answers a request, where one does. */
export const REPLICA_HEADER = 'x-watchledger-replica';

/** What a route of a package may take. */
export const ROUTE_LIMITS = {
  /** Of a request's body, and of an answer. */
  bytes: 8 * 1024 * 1024,
  milliseconds: 15_000,
  /** Requests of one package under way in an instance; as many again may wait. */
  concurrent: 32,
} as const;

/** The database role of one projection of a team, as wide as its handlers need it. */
export const TEAM_ROLE_LIMITS = {
  /** Two instances side by side, each with two connections that apply and two that read the log, and as many that have not ended yet. */
  connections: 16,
  statementSeconds: 10,
} as const;

/** Names the read replica that answers a request, where one does. */
export const REPLICA_HEADER = 'x-watchledger-replica';

/** What a route of a package may take. */
export const ROUTE_LIMITS = {
  /** The size of a request's body, and of an answer. */
  bytes: 8 * 1024 * 1024,
  milliseconds: 15_000,
  /** Requests of one package under way in an instance; as many again may wait. */
  concurrent: 32,
} as const;

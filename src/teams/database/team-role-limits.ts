/** The database role of one projection of a team, as wide as its handlers need it. */
export const TEAM_ROLE_LIMITS = {
  /** Two instances side by side, each with two connections that apply and two that read the log, and as many that have not ended yet. */
  connections: 16,
  statementSeconds: 10,
} as const;

export const systemRoles = ['admin', 'auditor'] as const;
export type SystemRole = (typeof systemRoles)[number];

export const reportPeriods = ['week', 'false'] as const;
export type ReportPeriod = (typeof reportPeriods)[number];

/** A login token speaks for the person, a personal access token for a program of that person. */
export type TokenKind = 'login' | 'personal';

export const systemRoles = ['admin', 'auditor'] as const;
export type SystemRole = (typeof systemRoles)[number];

export const reportPeriods = ['week', 'false'] as const;
export type ReportPeriod = (typeof reportPeriods)[number];

/** A login token speaks for the person, a personal access token for a program of that person. */
export type TokenKind = 'login' | 'personal';

/** Of every refusal to an account that may do nothing yet (docs/spec/decisions.md#A14). */
export const NOT_CONFIRMED =
  'The e-mail address of your account is not confirmed. Open the link that was mailed to it, or ask the operator of this installation for one.';

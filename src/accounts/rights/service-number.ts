const MOST = 2 ** 31 - 1;

/** Stands for a service account where a command or a token names who acts: below every user id, which are positive. */
export const serviceNumber = (serviceAccountId: string): number => -1 - (Number.parseInt(serviceAccountId.slice(-8), 16) % MOST);

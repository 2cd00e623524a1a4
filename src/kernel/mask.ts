/** Shown in answers in place of a secret. Sent back: the saved secret is kept. */
export const MASK = '********';

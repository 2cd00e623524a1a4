import { admits } from '../presentation/accept-header.ts';

/** Whether a client takes JSON and no plain text: then, and only then, the token comes in an object (docs/spec/decisions.md#A1). */
export const wantsJson = (accept = '*/*'): boolean => admits(accept, 'application/json') && !admits(accept, 'text/plain');

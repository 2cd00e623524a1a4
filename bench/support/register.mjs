import { register } from 'node:module';

const REGISTERED = Symbol.for('watchledger.typescript-hooks');

// node --import ./bench/support/register.mjs FILE.ts; a further import in the same process registers nothing.
if (!globalThis[REGISTERED]) register('./typescript-hooks.mjs', import.meta.url);
globalThis[REGISTERED] = true;

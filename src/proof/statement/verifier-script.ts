import { readFileSync } from 'node:fs';

/** Injection token of a function that answers it. */
export const VERIFIER_SCRIPT = Symbol('verifier script');

let script: string | undefined;

/** The script that verifies a statement in the file itself; the build writes it beside the program. */
export const verifierScript = (): string => (script ??= readFileSync(new URL('./statement-verifier.js', import.meta.url), 'utf8'));

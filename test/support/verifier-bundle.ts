import { buildSync } from 'esbuild';
import { resolve } from 'node:path';
import { assertInlineable, verifierBundle } from '../../src/proof/statement/browser/bundle.mjs';

let script: string | undefined;

/** The verifier of statements as the build makes it, from the sources. */
export function builtVerifier(): string {
  if (script !== undefined) return script;
  const entry = resolve(import.meta.dirname, '../../src/proof/statement/browser/verifier.ts');
  const { outputFiles } = buildSync({ ...verifierBundle, entryPoints: [entry], write: false });
  script = outputFiles[0]?.text ?? '';
  assertInlineable(script);
  return script;
}

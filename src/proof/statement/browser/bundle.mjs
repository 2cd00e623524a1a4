import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BROWSERS } from '../../../client/bundle.mjs';

/** How the verifier in the HTML file of a statement is bundled; its text becomes part of the file. */
export const verifierBundle = {
  bundle: true,
  format: 'iife',
  platform: 'browser',
  target: BROWSERS,
  minify: true,
  // The licences of the packages in it.
  legalComments: 'inline',
  charset: 'ascii',
  logLevel: 'warning',
};

/** The text of a script element cannot contain its own end, or the beginning of a comment. */
export function assertInlineable(script) {
  if (/<\/script|<!--/i.test(script)) throw new Error('the verifier contains a text that would end its script element');
}

/** Bundles the verifier into the file that statements take it from. */
export async function bundleVerifier(outfile) {
  await build({ ...verifierBundle, entryPoints: [join(import.meta.dirname, 'verifier.ts')], outfile });
  assertInlineable(readFileSync(outfile, 'utf8'));
}

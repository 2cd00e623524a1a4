export const BROWSERS = ['chrome103', 'firefox113', 'safari16.4'];

/** How the client is bundled, for Node and for browsers. */
export const clientBundle = {
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: [...BROWSERS, 'node20.19'],
  charset: 'utf8',
  logLevel: 'warning',
};

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

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

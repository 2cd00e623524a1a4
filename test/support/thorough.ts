/** `npm test`, or everything before a release: `npm run test:all`, which sets TEST_TIER (test/README.md). */
export const isRelease = process.env['TEST_TIER'] === 'all';

/** The bound of a loop, or the rows of a table: all of it in `npm run test:all`, and what proves the same rule in `npm test`. */
export const thorough = <Bound>(all: Bound, daily: Bound): Bound => (isRelease ? all : daily);

import '../../bench/support/register.mjs';

// node test/upgrade/freeze.mjs: writes what a database of this version holds to test/upgrade/VERSION.sql, once it is released never again.
const { freeze } = await import('./freeze.ts');
await freeze();

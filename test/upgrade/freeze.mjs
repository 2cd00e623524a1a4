import '../../bench/support/register.mjs';

// node test/upgrade/freeze.mjs: writes a database of this version to test/upgrade/VERSION.sql; never again after the version's release.
const { freeze } = await import('./freeze.ts');
await freeze();

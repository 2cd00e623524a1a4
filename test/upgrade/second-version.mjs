// node test/upgrade/second-version.mjs [COMMAND …]: the program, or a command of it, as a version that adds a column would be.
const built = (name) => import(new URL(`../../dist/${name}.js`, import.meta.url).href);

const { migrations } = await built('migration-table');
migrations.push({ name: 'AddHints1800000000000', sql: `ALTER TABLE passwords ADD COLUMN hint text NOT NULL DEFAULT 'none'` });
await built(process.argv.length > 2 ? 'cli' : 'main');

import { migrations } from '../../dist/migration-table.js';

// node test/upgrade/second-version.mjs [COMMAND …]: the program, or a command of it, as a version that adds a column would be.
migrations.push({ name: 'AddHints1800000000000', sql: `ALTER TABLE passwords ADD COLUMN hint text NOT NULL DEFAULT 'none'` });
await import(process.argv.length > 2 ? '../../dist/cli.js' : '../../dist/main.js');

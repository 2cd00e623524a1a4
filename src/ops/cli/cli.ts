import { runCommandLine } from './run-command-line.ts';

const status = await runCommandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
});
// Not process.exit: what was written to a pipe would be cut off, and a started service goes on.
process.exitCode = status;

import { runCommandLine } from './run-command-line.ts';

/** Who reads a pipe may have had enough, as `head` has: that is no fault of ours, and nobody is left to be told. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const status = await runCommandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
});
// Not process.exit: what was written to a pipe would be cut off, and a started service goes on.
process.exitCode = status;

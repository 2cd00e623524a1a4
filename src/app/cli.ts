import { runCommandLine } from './run-command-line.ts';

const closed = new AbortController();

/** A reader such as `head` may close the pipe early: not an error. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (stream === process.stdout) closed.abort();
  });
}

const status = await runCommandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  isTerminal: process.stdout.isTTY,
  closed: closed.signal,
});
// Not process.exit: it would truncate output to a pipe, and end a started service.
process.exitCode = status;

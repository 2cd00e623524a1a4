// Runs the command line again and again in one process, for command-line.ts. The argument is the built program, which reads its arguments from
// process.argv and states its status in process.exitCode, as if it were the only one.

const [, host, program] = process.argv;
const WAIT_MS = 10_000;
const outputs = [process.stdout, process.stderr];
let runs = 0;
let alone;

process.on('message', async ({ args, cwd, env }) => {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.argv[0], program, ...args];
  process.exitCode = undefined;
  alone ??= active();
  await import(`${program}?run=${String(++runs)}`);
  const left = await leftOpen();
  const status = left.length === 0 ? process.exitCode : `the command left open what keeps a process from ending: ${left.join(', ')}`;
  process.exitCode = undefined;
  // Those of the program: each run adds its own.
  for (const stream of outputs) stream.removeAllListeners('error').write('\0');
  process.send(status);
});
process.on('disconnect', () => process.exit());

function active() {
  return process.getActiveResourcesInfo().sort();
}

/** A process ends once nothing of this is left. */
async function leftOpen() {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const left = active();
    for (const one of alone) if (left.includes(one)) left.splice(left.indexOf(one), 1);
    if (left.length === 0 || performance.now() > deadline) return left;
    await new Promise((again) => setTimeout(again, 5).unref());
  }
}

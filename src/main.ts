import 'reflect-metadata';
import { isTransientDatabaseError } from './platform/postgres/transient-database-error.ts';
import { ConfigInvalid, loadConfig } from './platform/config/config.ts';
import { StoreUnavailable } from './kernel/errors.ts';
import { adaptHeapGrowth } from './app/heap-growth.ts';
import { StartInterrupted, Service } from './app/service.ts';
import { StartRefused } from './kernel/start-refused.ts';
import { isSystemError, reasonOf } from './kernel/system-error.ts';

adaptHeapGrowth();

/** Time for an orderly shutdown; then the process exits anyway. */
const SHUTDOWN_MS = 9_000;

/** A supervisor's SIGTERM is drained (`DRAIN_SECONDS`); Ctrl-C, and a second signal, end the drain. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Listens from the first moment: a signal during the start must also stop the embedded database. */
const terminated = new Promise<NodeJS.Signals>((resolve) => {
  for (const signal of SIGNALS) process.on(signal, resolve);
});

// The reader of the log may exit before the service: a closed standard output is ignored.
process.stdout.on('error', () => undefined);

let service: Service | undefined;
function endInAnyCase(): void {
  setTimeout(() => {
    if (service === undefined) process.stderr.write('watchledger: the start did not end in time after a termination signal\n');
    else service.reportPending(SHUTDOWN_MS / 1_000);
    process.exit(1);
  }, SHUTDOWN_MS).unref();
}
void terminated.then(() => {
  if (service === undefined) endInAnyCase();
});

try {
  const started = await Service.start(loadConfig(process.env, process.cwd()), terminated);
  service = started;
  void terminated.then(async (signal) => {
    const hurry = new AbortController();
    for (const again of SIGNALS)
      process.on(again, () => {
        hurry.abort();
      });
    if (signal === 'SIGINT') hurry.abort();
    await started.drain(hurry.signal);
    endInAnyCase();
    started.stop(signal).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
} catch (error) {
  process.exitCode = explain(error);
  // Resources opened before the failure must not keep the process alive.
  process.exit();
}

function explain(error: unknown): number {
  if (error instanceof StartInterrupted) return 0;
  if (error instanceof ConfigInvalid) {
    process.stderr.write(`${error.lines.map((line) => `watchledger: ${line}`).join('\n')}\n`);
    return 2;
  }
  if (error instanceof StartRefused || error instanceof StoreUnavailable) {
    process.stderr.write(`watchledger: ${reasonOf(error)}\n`);
    return 1;
  }
  if (isSystemError(error) || isTransientDatabaseError(error)) {
    process.stderr.write(`watchledger: the service could not start: ${reasonOf(error)}\n`);
    return 1;
  }
  process.stderr.write(
    `watchledger: the service could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return 1;
}

import 'reflect-metadata';
import { isTransientDatabaseError } from './persistence/transient-database-error.ts';
import { ConfigInvalid, loadConfig } from './config.ts';
import { StoreUnavailable } from './kernel/errors.ts';
import { StartInterrupted, Service } from './app/service.ts';
import { StartRefused } from './kernel/start-refused.ts';
import { isSystemError, reasonOf } from './kernel/system-error.ts';

/** The service has this long to end in order; then it ends anyhow. */
const END_MS = 9_000;

/** Registered first: a signal during the start has to stop the embedded database, too. */
const stopSignal = new Promise<NodeJS.Signals>((tell) => process.on('SIGTERM', tell).on('SIGINT', tell));

// The reader of standard output may exit first; log lines and the greeting are then discarded.
process.stdout.on('error', () => undefined);

try {
  const service = await Service.start(loadConfig(process.env, process.cwd()), stopSignal);
  void stopSignal.then((signal) => {
    setTimeout(() => process.exit(1), END_MS).unref();
    service.stop(signal).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
} catch (error) {
  process.exitCode = explain(error);
  // What was begun before the refusal must not keep the process alive.
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

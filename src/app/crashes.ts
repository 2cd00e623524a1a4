import type { Logger } from 'pino';
import { maskedText } from '../platform/telemetry/logging/masking.ts';

/** Handles uncaught exceptions and unhandled rejections: they end the process, whose state is unknown then. Code of teams runs in processes of its own. */
export function handleUncaughtErrors(logger: Logger): void {
  const handle = (error: unknown, origin: string): void => {
    const err = error instanceof Error ? error : new Error(`thrown without an error: ${String(error)}`);
    if (logger.isLevelEnabled('fatal')) logger.fatal({ err, origin }, 'uncaught error; exiting');
    else process.stderr.write(`watchledger: uncaught error; exiting: ${maskedText(err.stack ?? err.message)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', (error: unknown, origin) => {
    handle(error, origin);
  });
  process.on('unhandledRejection', (reason) => {
    handle(reason, 'unhandledRejection');
  });
}

import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import type { LoadedPackage } from '../projections/authoring/load-projections.ts';
import { maskedText } from '../telemetry/logging/masking.ts';

const OWN = new URL('../', import.meta.url).href;

/**
 * What is thrown where nobody can catch it (a timer, a promise that was left alone) ends up at the process. What a team's code throws there ends
 * nothing: it is logged with the package that it came from. Everything else ends the process, since nobody knows what was left half-done, and says so in one line.
 */
export function hearCrashes(teams: readonly LoadedPackage[], logger: Logger): void {
  // Several files may lie in one folder: then the file says it, and only what it imports is known by the folder alone.
  const folders = [
    ...teams.map(({ from, file }) => ({ from, url: pathToFileURL(file).href })),
    ...teams.map(({ from, folder }) => ({ from, url: `${pathToFileURL(folder).href}/` })),
  ];
  const heard = (error: unknown, origin: string): void => {
    const team = teamOf(error, folders);
    const err = error instanceof Error ? error : new Error(`thrown without an error: ${String(error)}`);
    if (team !== undefined) {
      logger.error(
        { package: team, err },
        'code of a team threw where nobody waits for it: a handler has to await or return what it starts',
      );
      return;
    }
    if (logger.isLevelEnabled('fatal')) logger.fatal({ err, origin }, 'the service ends: an error that nobody caught');
    else process.stderr.write(`watchledger: the service ends: an error that nobody caught: ${maskedText(err.stack ?? err.message)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', (error: unknown, origin) => {
    heard(error, origin);
  });
  process.on('unhandledRejection', (reason) => {
    heard(reason, 'unhandledRejection');
  });
}

/** By the first line of its stack that is neither node's nor an installed package's. */
function teamOf(error: unknown, folders: readonly { readonly from: string; readonly url: string }[]): string | undefined {
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? String(error.stack) : '';
  const files = [...stack.matchAll(/file:\/\/[^\s)]+/g)].map(([file]) => file);
  const origin = files.find((file) => !file.includes('/node_modules/')) ?? files[0];
  if (origin === undefined || origin.startsWith(OWN)) return undefined;
  return folders.find(({ url }) => origin.startsWith(url))?.from;
}

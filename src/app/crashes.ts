import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import { programFolder } from '../config/program-folder.ts';
import type { LoadedPackage } from '../projections/authoring/load-projections.ts';
import { maskedText } from '../telemetry/logging/masking.ts';

/** The bundle, and the sources in tests. */
const OWN = ['dist', 'src'].map((name) => `${pathToFileURL(join(programFolder, name)).href}/`);

/**
 * Handles uncaught exceptions and unhandled rejections: one in team code is logged with its package and does not stop the process; any other one
 * ends the process, whose state is unknown then.
 */
export function handleUncaughtErrors(teams: readonly LoadedPackage[], logger: Logger): void {
  // Several packages may share a folder: the file decides first, the folder for what it imports.
  const folders = [
    ...teams.map(({ from, file }) => ({ from, url: pathToFileURL(file).href })),
    ...teams.map(({ from, folder }) => ({ from, url: `${pathToFileURL(folder).href}/` })),
  ];
  const handle = (error: unknown, origin: string): void => {
    const team = teamOf(error, folders);
    const err = error instanceof Error ? error : new Error(`thrown without an error: ${String(error)}`);
    if (team !== undefined) {
      logger.error({ package: team, err }, 'unhandled error in team code: a handler must await or return every promise that it starts');
      return;
    }
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

/** By the first file of the stack that belongs neither to Node nor to an installed package. */
function teamOf(error: unknown, folders: readonly { readonly from: string; readonly url: string }[]): string | undefined {
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? String(error.stack) : '';
  const files = [...stack.matchAll(/file:\/\/[^\s)]+/g)].map(([file]) => file);
  const origin = files.find((file) => !file.includes('/node_modules/')) ?? files[0];
  if (origin === undefined || OWN.some((own) => origin.startsWith(own))) return undefined;
  return folders.find(({ url }) => origin.startsWith(url))?.from;
}

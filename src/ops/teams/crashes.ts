import { pathToFileURL } from 'node:url';
import type { Logger } from 'pino';
import type { LoadedPackage } from '../../projections/kit/load-projections.ts';

const OWN = new URL('../../', import.meta.url).href;

/**
 * What a team's code throws where nobody can catch it (a timer, a promise that was left alone) ends up at the process. It ends nothing there: it is
 * logged with the package that it came from. Everything else ends the process, as it does without teams.
 */
export function surviveTeams(teams: readonly LoadedPackage[], logger: Logger): void {
  // Several files may lie in one folder: then the file says it, and only what it imports is known by the folder alone.
  const folders = [
    ...teams.map(({ from, file }) => ({ from, url: pathToFileURL(file).href })),
    ...teams.map(({ from, folder }) => ({ from, url: `${pathToFileURL(folder).href}/` })),
  ];
  const heard = (error: unknown): void => {
    const team = teamOf(error, folders);
    if (team !== undefined) {
      logger.error(
        { package: team, err: error },
        'code of a team threw where nobody waits for it: a handler has to await or return what it starts',
      );
      return;
    }
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', heard).on('unhandledRejection', heard);
}

/** By the first line of its stack that is neither node's nor an installed package's. */
function teamOf(error: unknown, folders: readonly { readonly from: string; readonly url: string }[]): string | undefined {
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? String(error.stack) : '';
  const files = [...stack.matchAll(/file:\/\/[^\s)]+/g)].map(([file]) => file);
  const origin = files.find((file) => !file.includes('/node_modules/')) ?? files[0];
  if (origin === undefined || origin.startsWith(OWN)) return undefined;
  return folders.find(({ url }) => origin.startsWith(url))?.from;
}

import { stat } from 'node:fs/promises';
import { checkBackup } from '../../backup/read-backup.ts';
import { Progress } from '../progress.ts';

const MEGABYTE = 1_000_000;

/** Of bytes, of a file. */
export async function barFor(what: string, path: string): Promise<{ readonly report: (bytes: number) => void; readonly end: () => void }> {
  const total = Math.ceil((await stat(path)).size / MEGABYTE);
  const bar = new Progress(what, process.stderr, undefined, 'MB');
  return {
    report: (bytes) => {
      bar.report(Math.floor(bytes / MEGABYTE), total);
    },
    end: () => {
      bar.end();
    },
  };
}

/** To its end, so that nothing is begun with a file that is cut or damaged. */
export async function readThrough(path: string, master: Uint8Array, signal: AbortSignal): Promise<Record<string, number>> {
  const bar = await barFor('reading', path);
  try {
    return await checkBackup(path, master, (bytes) => {
      signal.throwIfAborted();
      bar.report(bytes);
    });
  } finally {
    bar.end();
  }
}

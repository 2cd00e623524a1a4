import { stat } from 'node:fs/promises';
import { checkBackup } from './read-backup.ts';
import type { Config } from '../../platform/config/config.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { findMasterKeys } from '../../platform/security/keyring/master-key.ts';
import { Progress } from '../../platform/cli/progress.ts';

const MEGABYTE = 1_000_000;

/** The existing master key: a backup is never taken or restored with a newly generated one. */
export async function installationKey(config: Config): Promise<Buffer> {
  const { dataDir } = config;
  const [key] = await findMasterKeys(config);
  if (key === undefined)
    throw new StartRefused(`there is no master key: set MASTER_KEY, or put master.key of the installation into ${dataDir}`);
  return key;
}

/** A progress bar over the bytes of a file. */
export async function fileProgress(
  label: string,
  path: string,
): Promise<{ readonly report: (bytes: number) => void; readonly end: () => void }> {
  const total = Math.ceil((await stat(path)).size / MEGABYTE);
  const progress = new Progress(label, process.stderr, undefined, 'MB');
  return {
    report: (bytes) => {
      progress.report(Math.floor(bytes / MEGABYTE), total);
    },
    end: () => {
      progress.end();
    },
  };
}

/** Reads the whole file, so that a truncated or damaged one is refused before anything is written. Answers row counts by table. */
export async function checkFile(path: string, master: Uint8Array, signal: AbortSignal): Promise<Record<string, number>> {
  const progress = await fileProgress('reading', path);
  try {
    return await checkBackup(path, master, (bytes) => {
      signal.throwIfAborted();
      progress.report(bytes);
    });
  } finally {
    progress.end();
  }
}

import { findMasterKey } from '../../security/keyring/master-key.ts';
import type { Config } from '../../config.ts';
import { StartRefused } from '../../kernel/start-refused.ts';

/** A backup is never made with, nor restored under, a key that was made up for it. */
export async function installationKey({ masterKey, dataDir }: Config): Promise<Buffer> {
  const key = await findMasterKey(masterKey, dataDir);
  if (key === null) throw new StartRefused(`there is no master key: set MASTER_KEY, or put master.key of the installation into ${dataDir}`);
  return key;
}

import { type Config, ConfigInvalid } from '../../platform/config/config.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { examineCertificates } from './certificates.ts';
import { examineDatabase } from './database.ts';
import { examineEventStore } from './event-store.ts';
import { fail, type Diagnosis, ok } from './finding.ts';
import { examinePagePlace } from './kept-pages.ts';
import { examineObservations } from './observations.ts';
import { examineReplicas } from './replicas.ts';
import { examineSignInProvider } from './sign-in-provider.ts';
import { examineDataFolder, examineHandles, examineNames, examineNode } from './machine.ts';

/** All checks, in the order in which to fix their findings. */
export async function examine(readConfig: () => Config, say: (line: string) => void): Promise<readonly Diagnosis[]> {
  const config = configuration(readConfig);
  if (!('dataDir' in config)) return [examineNode(), ...config];
  const looks: readonly (readonly [string, () => Promise<readonly Diagnosis[]> | Diagnosis])[] = [
    ['node', examineNode],
    ['data folder', () => examineDataFolder(config)],
    ['database', () => examineDatabase(config, say)],
    ['read replicas', () => examineReplicas(config)],
    ['observations', () => examineObservations(config)],
    ['KEPT_PAGES', () => examinePagePlace(config)],
    ['event store', () => examineEventStore(config)],
    ['file handles', () => examineHandles(config)],
    ['dns', () => examineNames()],
    ['sign-in provider', () => examineSignInProvider(config)],
    ['certificates', () => examineCertificates(config)],
  ];
  const findings: Diagnosis[] = [ok('configuration', 'every variable is valid')];
  for (const [name, look] of looks) findings.push(...(await outcome(name, look)));
  return findings;
}

function configuration(readConfig: () => Config): Config | readonly Diagnosis[] {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    return error.lines.map((line) => fail('configuration', line, 'correct the variable; docs/operations.md explains each'));
  }
}

async function outcome(name: string, look: () => Promise<readonly Diagnosis[]> | Diagnosis): Promise<readonly Diagnosis[]> {
  try {
    const found = await look();
    return 'state' in found ? [found] : found;
  } catch (error) {
    return [fail(name, reasonOf(error), 'this check could not run')];
  }
}

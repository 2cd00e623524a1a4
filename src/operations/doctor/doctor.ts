import type { Config } from '../../platform/config/config.ts';
import type { Doctor } from './finding.ts';
import { coalesced } from '../../kernel/cached.ts';

/** An examination asks other servers and writes a row: administrators who ask at once share one. */
const KEPT_MS = 30_000;

/** The doctor inside the service; loaded with its first use. */
export const doctorOf = (config: Config, databaseUrl: string): Doctor =>
  coalesced(async () => {
    const { examine } = await import('./examine.ts');
    const findings = await examine(
      () => ({ ...config, databaseUrl }),
      () => undefined,
    );
    return { examinedAt: Date.now(), findings };
  }, KEPT_MS);

import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import type pg from 'pg';
import { Guard } from '../security/ssrf-guard/guard.ts';
import { KEYRING, type Keyring } from '../security/keyring/keyring.ts';
import { LEASES, type Leases } from '../persistence/leases.ts';
import { DATABASE } from '../persistence/pool.ts';
import { WAKE, type Wake } from '../persistence/wake.ts';
import { LOG, type Log } from '../log/log.ts';
import { RUN_STORE, type RunStore } from '../observations/runs/run-store.ts';
import { SAMPLE_STORE, type SampleStore } from '../observations/samples/sample-store.ts';

/** What stands below the checker. */
export interface CheckerParts {
  readonly pool: pg.Pool;
  readonly leases: Leases;
  readonly wake: Wake;
  readonly log: Log;
  readonly runs: RunStore;
  readonly samples: SampleStore;
  readonly guard: Guard;
  readonly keyring: Keyring;
}

const tokens: Readonly<Record<keyof CheckerParts, InjectionToken>> = {
  pool: DATABASE,
  leases: LEASES,
  wake: WAKE,
  log: LOG,
  runs: RUN_STORE,
  samples: SAMPLE_STORE,
  guard: Guard,
  keyring: KEYRING,
};

/** Injection token. */
export const CHECKER_PARTS = Symbol('CheckerParts');

/** Each by its token, together as one. */
export const checkerParts: FactoryProvider<object> = {
  provide: CHECKER_PARTS,
  inject: Object.values(tokens),
  useFactory: (...found: readonly unknown[]) => Object.fromEntries(Object.keys(tokens).map((name, place) => [name, found[place]])),
};

import { type FactoryProvider, type InjectionToken, Module } from '@nestjs/common';
import { Log } from '../platform/log/log.ts';
import { PAGE_BODIES } from '../platform/observations/pages/page-bodies.ts';
import { CHECKER_RUN_STORE } from '../platform/observations/runs/run-store.ts';
import { CHECKER_SAMPLE_STORE } from '../platform/observations/samples/sample-store.ts';
import { LEASES } from '../platform/postgres/leases.ts';
import { CHECKER_DATABASE, CHECKER_OBSERVATION_DATABASE, OBSERVATION_DATABASE } from '../platform/postgres/pool.ts';
import { Wake } from '../platform/postgres/wake.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { SsrfGuard } from '../platform/security/ssrf-guard/ssrf-guard.ts';
import { CHECKER_SERVICES, CheckerRuntime, type CheckerServices } from './checker-runtime.ts';

const tokens: Readonly<Record<keyof CheckerServices, InjectionToken>> = {
  pool: CHECKER_DATABASE,
  observationPool: CHECKER_OBSERVATION_DATABASE,
  maintenancePool: OBSERVATION_DATABASE,
  pageBodies: PAGE_BODIES,
  leases: LEASES,
  wake: Wake,
  log: Log,
  runs: CHECKER_RUN_STORE,
  samples: CHECKER_SAMPLE_STORE,
  guard: SsrfGuard,
  keyring: Keyring,
};

const checkerServices: FactoryProvider<object> = {
  provide: CHECKER_SERVICES,
  inject: Object.values(tokens),
  useFactory: (...services: readonly unknown[]) => Object.fromEntries(Object.keys(tokens).map((name, index) => [name, services[index]])),
};

/** Checks and watches sites; present in instances with the role `checker`. */
@Module({
  providers: [checkerServices, CheckerRuntime],
  exports: [CheckerRuntime],
})
export class CheckerRuntimeModule {}

import {
  type FactoryProvider,
  type InjectionToken,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
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
import type { Config } from '../platform/config/config.ts';
import { HttpModule } from './http.module.ts';
import { WitnessModule } from '../proof/witness.module.ts';
import { Lifecycle } from '../kernel/lifecycle.ts';
import { HealthModule } from './health.module.ts';
import { coreModules } from './parts.ts';
import { loadPlans } from './plans.ts';
import type { Resources } from './resources.ts';

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

/** Nest closes the HTTP server between `drain` and `close`: the projector runs until the last request is answered. */
@Injectable()
class LifecycleHooks implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(private readonly lifecycle: Lifecycle) {}

  onApplicationBootstrap(): Promise<void> {
    return this.lifecycle.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.lifecycle.drain();
  }

  onApplicationShutdown(): Promise<void> {
    return this.lifecycle.close();
  }
}

/** One program; the roles decide which parts of it run in this process. Health and metrics answer in all of them. */
@Module({})
export class AppModule {
  /** `teams`: the routes of the packages in `PROJECTIONS`. */
  static forRoot(config: Config, resources: Resources, lifecycle: Lifecycle, teams: readonly DynamicModule[] = []): DynamicModule {
    const api = config.roles.includes('api') ? [HttpModule, ...teams] : [];
    const witness = config.roles.includes('witness') ? [WitnessModule] : [];
    const checker = config.roles.includes('checker') ? [CheckerRuntimeModule] : [];
    return {
      module: AppModule,
      imports: [...coreModules(config, resources, loadPlans(config)), HealthModule.forRoot(config, teams), ...api, ...witness, ...checker],
      providers: [{ provide: Lifecycle, useValue: lifecycle }, LifecycleHooks],
    };
  }
}

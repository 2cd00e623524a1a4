import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CheckerRuntimeModule } from './checker-runtime.module.ts';
import type { Config } from '../platform/config/config.ts';
import { HttpModule } from './http.module.ts';
import { WitnessModule } from '../proof/witness.module.ts';
import { Lifecycle } from '../kernel/lifecycle.ts';
import { HealthModule } from './health.module.ts';
import { coreModules } from './parts.ts';
import { loadPlans } from './plans.ts';
import type { Resources } from './resources.ts';

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

import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CheckerModule } from '../checker/checker.module.ts';
import type { Config } from '../config.ts';
import { HttpModule } from '../http/http.module.ts';
import { ObservationsModule } from './observations.module.ts';
import { OpsModule } from './ops.module.ts';
import type { Parts } from './parts.ts';
import { PartsModule } from './parts.module.ts';

/** One program; the roles pick which parts of it run here. Health and metrics answer in all of them. */
@Module({})
export class AppModule {
  /** `teams`: the modules that packages of projections bring along. */
  static of(config: Config, parts: Parts, teams: (Type | DynamicModule)[] = []): DynamicModule {
    const api = config.roles.includes('api') ? [HttpModule] : [];
    const ofTeams = config.roles.includes('api') ? teams : [];
    const checker = config.roles.includes('checker') ? [CheckerModule] : [];
    return {
      module: AppModule,
      imports: [
        CqrsModule.forRoot(),
        PartsModule.of(config, parts),
        ObservationsModule,
        OpsModule.of(parts.metrics, ofTeams),
        ...api,
        ...checker,
        ...ofTeams,
      ],
    };
  }
}

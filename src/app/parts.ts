import { type Abstract, type DynamicModule, type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import type { Config } from '../platform/config/config.ts';
import { NestLog } from '../platform/telemetry/logging/nest-log.ts';
import type { PlanLookup } from '../projects/project-slot.ts';
import { capabilityModules } from './capabilities.ts';
import { ObservationsModule } from './observations.module.ts';
import { loadPlans } from './plans.ts';
import type { Resources } from './resources.ts';
import { ResourcesModule } from './resources.module.ts';

/** Everything below HTTP and the checker: the resources, and the one container that was made of them. */
export interface Parts extends Resources {
  readonly commands: CommandBus;
  /** Answers from the container, which makes each store once. */
  readonly get: <T>(token: Type<T> | Abstract<T> | symbol) => T;
}

/** What the container has in every role and under the command line. */
export const coreModules = (config: Config, resources: Resources, plans: PlanLookup): NonNullable<DynamicModule['imports']> => [
  CqrsModule.forRoot(),
  ResourcesModule.forRoot(config, resources, plans),
  ObservationsModule,
  ...capabilityModules,
];

export const partsOf = (resources: Resources, container: INestApplicationContext): Parts => ({
  ...resources,
  commands: container.get(CommandBus),
  get: (token) => container.get(token),
});

/** The root of a container without HTTP, checker and loops. */
@Module({})
class CoreModule {}

/** For the command line. Closing the parts closes the resources. */
export async function openParts(config: Config, resources: Resources): Promise<Parts> {
  // Commands of operators that need no plan work beside an invalid file of plans.
  const plans: PlanLookup = { get: (name) => loadPlans(config).get(name) };
  const core = { module: CoreModule, imports: coreModules(config, resources, plans) };
  const container = await NestFactory.createApplicationContext(core, { logger: new NestLog(resources.logger), abortOnError: false });
  return partsOf(resources, container);
}

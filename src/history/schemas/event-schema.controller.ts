import { Controller, Get, Header, Inject, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { baseUrlOf } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { openRight } from '../../accounts/rights/right.ts';
import { EventSchemaReading, type ListedSchema } from './event-schema-reading.ts';

/** What events contain, for programs: CloudEvents name their schema here, and tools that read it have no token. */
@Controller()
export class EventSchemaController {
  constructor(
    private readonly reading: EventSchemaReading,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('events/schemas')
  @Needs(openRight)
  async list(@Req() request: FastifyRequest): Promise<{ readonly schemas: readonly ListedSchema[] }> {
    return { schemas: await this.reading.list(baseUrlOf(request, this.config)) };
  }

  @Get('events/schemas/:type/:version')
  @Needs(openRight)
  @Header('content-type', 'application/schema+json; charset=utf-8')
  one(@Param('type') type: string, @Param('version') version: string, @Req() request: FastifyRequest): Promise<object> {
    return this.reading.one(baseUrlOf(request, this.config), type, version);
  }

  @Get('asyncapi.json')
  @Needs(openRight)
  asyncApi(@Req() request: FastifyRequest): Promise<object> {
    return this.reading.asyncApi(baseUrlOf(request, this.config));
  }
}

import { Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { Needs } from '../../accounts/rights/needs.ts';
import { systemAdmin, systemReader } from '../../accounts/rights/right.ts';
import { ConsumerAdmin } from '../../platform/consumers/consumer-admin.ts';
import { CONSUMER_TOPIC } from '../../platform/consumers/consumer-store.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { Wake } from '../../platform/postgres/wake.ts';
import type { ConsumerListAnswer, ParkedPartitionsAnswer } from './consumer.api.ts';

/** Administration of the consumers of the log (docs/spec/beyond.md#B31). */
@Controller('ops/consumers')
export class ConsumersController {
  constructor(
    private readonly admin: ConsumerAdmin,
    @Inject(Wake) private readonly wake: Pick<Wake, 'ring'>,
  ) {}

  @Get()
  @Needs(systemReader)
  async list(): Promise<ConsumerListAnswer> {
    return { consumers: await this.admin.list() };
  }

  @Delete(':name')
  @Needs(systemAdmin)
  async remove(@Param('name') name: string): Promise<object> {
    await this.admin.remove(name);
    return success;
  }

  @Post(':name/pause')
  @Needs(systemAdmin)
  @HttpCode(200)
  async pause(@Param('name') name: string): Promise<object> {
    await this.admin.setPaused(name, true);
    return this.heard();
  }

  @Post(':name/resume')
  @Needs(systemAdmin)
  @HttpCode(200)
  async resume(@Param('name') name: string): Promise<object> {
    await this.admin.setPaused(name, false);
    return this.heard();
  }

  @Get(':name/parked')
  @Needs(systemReader)
  async parked(@Param('name') name: string): Promise<ParkedPartitionsAnswer> {
    return { parked: await this.admin.parked(name) };
  }

  @Post(':name/parked/:eventId/retry')
  @Needs(systemAdmin)
  @HttpCode(200)
  async retry(@Param('name') name: string, @Param('eventId') eventId: string): Promise<object> {
    await this.admin.retry(name, eventId);
    return this.heard();
  }

  @Post(':name/parked/:eventId/skip')
  @Needs(systemAdmin)
  @HttpCode(200)
  async skip(@Param('name') name: string, @Param('eventId') eventId: string): Promise<object> {
    await this.admin.skip(name, eventId);
    return this.heard();
  }

  private heard(): object {
    this.wake.ring(CONSUMER_TOPIC);
    return success;
  }
}

import { Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { Wake } from '../../platform/postgres/wake.ts';
import { NothingParked } from '../../platform/read-models/admin/projection-admin.ts';
import { CONSUMER_TOPIC } from '../../platform/consumers/consumer-store.ts';
import { ReactorStore } from './reactor-store.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { systemAdmin, systemReader } from '../../accounts/rights/right.ts';
import type { ParkedReactionsAnswer, ReactorListAnswer } from './reactor.api.ts';

/** Administration of the reactors of teams (docs/spec/beyond.md#B7). */
@Controller('ops/reactors')
export class ReactorsController {
  constructor(
    private readonly store: ReactorStore,
    @Inject(Wake) private readonly wake: Pick<Wake, 'ring'>,
  ) {}

  @Get()
  @Needs(systemReader)
  async list(): Promise<ReactorListAnswer> {
    return { reactors: await this.store.list() };
  }

  @Delete(':name')
  @Needs(systemAdmin)
  async remove(@Param('name') name: string): Promise<object> {
    await this.store.remove(name);
    return success;
  }

  @Post(':name/pause')
  @Needs(systemAdmin)
  @HttpCode(200)
  async pause(@Param('name') name: string): Promise<object> {
    await this.store.setPaused(name, true);
    return success;
  }

  @Post(':name/resume')
  @Needs(systemAdmin)
  @HttpCode(200)
  async resume(@Param('name') name: string): Promise<object> {
    await this.store.setPaused(name, false);
    return this.heard();
  }

  @Get(':name/parked')
  @Needs(systemReader)
  async parked(@Param('name') name: string): Promise<ParkedReactionsAnswer> {
    return { parked: await this.store.parked(name) };
  }

  @Post(':name/parked/:eventId/retry')
  @Needs(systemAdmin)
  @HttpCode(200)
  async retry(@Param('name') name: string, @Param('eventId') eventId: string): Promise<object> {
    if (!(await this.store.retry(name, eventId))) throw new NothingParked(`no event ${eventId} is parked in ${name}`);
    return this.heard();
  }

  @Post(':name/parked/:eventId/skip')
  @Needs(systemAdmin)
  @HttpCode(200)
  async skip(@Param('name') name: string, @Param('eventId') eventId: string): Promise<object> {
    if (!(await this.store.skip(name, eventId))) throw new NothingParked(`no event ${eventId} is parked in ${name}`);
    return this.heard();
  }

  private heard(): object {
    this.wake.ring(CONSUMER_TOPIC);
    return success;
  }
}

import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { NOTIFIER } from '../../alerts/process/notification-process.ts';
import { ConsumerAdmin } from '../../platform/consumers/consumer-admin.ts';
import { SkipForProjection, VoidEvent } from '../../history/system.commands.ts';
import { ProjectionAdmin } from '../../platform/read-models/admin/projection-admin.ts';
import { forgetTeam } from '../database/team-role.ts';
import { CurrentContext } from '../../platform/http/context/decorators.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { SkipDto, type ParkedListAnswer, type ProjectionListAnswer } from './projection.api.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { systemAdmin, systemReader } from '../../accounts/rights/right.ts';

/** Administration of the read models (docs/spec/beyond.md#B7). */
@Controller('ops/projections')
export class ProjectionsController {
  constructor(
    private readonly admin: ProjectionAdmin,
    private readonly commands: CommandBus,
    private readonly consumers: ConsumerAdmin,
  ) {}

  @Get()
  @Needs(systemReader)
  async list(): Promise<ProjectionListAnswer> {
    return { projections: await this.admin.list() };
  }

  @Delete(':name')
  @Needs(systemAdmin)
  async remove(@Param('name') name: string): Promise<object> {
    await this.admin.remove(name, (client) => forgetTeam(client, name));
    return success;
  }

  @Post(':name/pause')
  @Needs(systemAdmin)
  @HttpCode(200)
  async pause(@Param('name') name: string): Promise<object> {
    await this.admin.pause(name);
    return success;
  }

  @Post(':name/resume')
  @Needs(systemAdmin)
  @HttpCode(200)
  async resume(@Param('name') name: string): Promise<object> {
    await this.admin.resume(name);
    return success;
  }

  @Post(':name/rebuild')
  @Needs(systemAdmin)
  @HttpCode(200)
  async rebuild(@Param('name') name: string): Promise<object> {
    await this.admin.rebuild(name);
    return success;
  }

  @Get(':name/parked')
  @Needs(systemReader)
  async parked(@Param('name') name: string): Promise<ParkedListAnswer> {
    const parked = await this.admin.parked(name);
    const waiting = await this.consumers.waitingByScope(
      NOTIFIER,
      parked.map(({ scope }) => scope),
    );
    return { parked: parked.map((row) => ({ ...row, deadLetters: waiting.get(row.scope) ?? 0 })) };
  }

  @Post(':name/parked/:eventId/retry')
  @Needs(systemAdmin)
  @HttpCode(200)
  async retry(@Param('name') name: string, @Param('eventId') eventId: string): Promise<object> {
    await this.admin.retry(name, eventId);
    return success;
  }

  /** The event stays in the log. For a core view it is voided: every fold skips it from now on, also as of an instant; for a team's projection only that one skips it. */
  @Post(':name/parked/:eventId/skip')
  @Needs(systemAdmin)
  @HttpCode(200)
  async skip(
    @Param('name') name: string,
    @Param('eventId') eventId: string,
    @CurrentContext() context: RequestContext,
    @Body() { reason }: SkipDto,
  ): Promise<object> {
    const { n, only } = await this.admin.skipOf(name, eventId);
    const event = { n, eventId, reason };
    await this.commands.execute(
      only === null ? new VoidEvent(context, { event }) : new SkipForProjection(context, { skipped: { ...only, ...event } }),
    );
    return success;
  }
}

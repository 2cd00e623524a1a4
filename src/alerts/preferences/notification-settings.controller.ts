import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ChangeNotifications } from './preference.commands.ts';
import { defaultNotifications, type NotificationSettings } from './preference.settings.ts';
import { type Views, ViewsAt } from '../../platform/read-models/views/views.ts';
import { preferenceView, notificationsTag, notificationsThing } from './preference.view.ts';
import { IfMatch } from '../../platform/http/conditions/if-match.ts';
import { CurrentContext, CurrentPrincipal, ShownSettings, type ShowTag } from '../../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { NotificationSettingsDto } from './notification-settings.api.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';

/** The caller's own settings for one project (docs/spec/decisions.md#N4). */
@Controller('project/:id/notifications')
export class NotificationSettingsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
  ) {}

  @Get()
  @Needs(projectRight('member'))
  async read(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() { userId }: Principal,
    @ShownSettings() show: ShowTag,
  ): Promise<NotificationSettings> {
    const settings = await readSettings(this.views.now(), projectId, userId);
    show(notificationsTag(projectId, userId, settings));
    return settings;
  }

  @Post()
  @IfMatch(notificationsThing)
  @Needs(projectRight('member'))
  @HttpCode(200)
  async update(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Body() body: NotificationSettingsDto,
  ): Promise<NotificationSettings> {
    await this.commands.execute(new ChangeNotifications(context, { projectId, userId, wanted: suppliedOf(body) }));
    await context.waitUntilVisible();
    return readSettings(this.views.now(), projectId, userId);
  }
}

export async function readSettings(views: Views, projectId: string, userId: number): Promise<NotificationSettings> {
  const row = await views.get(preferenceView, projectId);
  return row?.byUser[String(userId)] ?? defaultNotifications;
}

const suppliedOf = (body: NotificationSettingsDto): Partial<NotificationSettings> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

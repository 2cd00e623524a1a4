import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { ConfirmNotificationEmail } from './account.commands.ts';
import { LinkInvalid } from './passwords/password.commands.ts';
import { accountStream } from '../kernel/stream-names.ts';
import { LinkStore } from './tokens/link-store.ts';
import { RequestContexts } from '../platform/http/context/request-context.ts';
import { success } from '../platform/http/presentation/answers.ts';
import { Needs } from './rights/needs.ts';
import { openRight } from './rights/right.ts';
import { ConfirmNotificationEmailDto } from './account.api.ts';
import { type LinkPage, sendLinkPage } from './link-page.ts';
import { markup } from '../kernel/markup.ts';

const PAGE: LinkPage = {
  title: 'Confirm an address for notifications',
  text: markup`<p>An account on Watchledger wants to send its notifications here.</p>`,
  form: { fields: null, button: 'Confirm' },
};

/** The link that was mailed to a notification address: it confirms that address alone. */
@Controller('account/notification-email/confirm')
export class NotificationEmailController {
  constructor(
    private readonly commands: CommandBus,
    private readonly links: LinkStore,
    private readonly contexts: RequestContexts,
  ) {}

  @Get()
  @Needs(openRight)
  show(@Res() reply: FastifyReply): void {
    sendLinkPage(reply, PAGE);
  }

  @Post()
  @Needs(openRight)
  @HttpCode(200)
  async confirm(@Body() { token }: ConfirmNotificationEmailDto): Promise<object> {
    const link = await this.links.find(token);
    if (link?.purpose !== 'notification' || link.address === null) throw new LinkInvalid();
    const context = this.contexts.of({ kind: 'user', id: String(link.userId) });
    const address = { subject: accountStream(link.userId), sealed: link.address };
    await this.commands.execute(new ConfirmNotificationEmail(context, { userId: link.userId, address }));
    await this.links.useUp(token);
    await context.waitUntilVisible();
    return success;
  }
}

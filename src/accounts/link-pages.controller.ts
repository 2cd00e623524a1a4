import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Needs } from './rights/needs.ts';
import { openRight } from './rights/right.ts';
import { type LinkPage, passwordField, sendLinkPage } from './link-page.ts';
import { markup } from '../kernel/markup.ts';

const CONFIRM: LinkPage = {
  title: 'Confirm your e-mail address',
  text: markup`<p>Choose the password of your account: the one from the registration, or another.</p>`,
  form: { fields: passwordField('Password'), button: 'Confirm' },
};
const PASSWORD: LinkPage = { title: 'Choose a password', form: { fields: passwordField('New password'), button: 'Save' } };

/** The pages behind the links in mails. */
@Controller('account')
export class LinkPagesController {
  @Get('confirm')
  @Needs(openRight)
  confirm(@Res() reply: FastifyReply): void {
    sendLinkPage(reply, CONFIRM);
  }

  @Get('password/reset')
  @Needs(openRight)
  password(@Res() reply: FastifyReply): void {
    sendLinkPage(reply, PASSWORD);
  }
}

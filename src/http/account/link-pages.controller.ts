import { createHash } from 'node:crypto';
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Needs } from '../rights/needs.ts';
import { openRight } from '../rights/right.ts';

/** The token is used only by the POST behind the button, so that a mail scanner that follows the link does not use it up. */
const script = (body: string): string => `
  const say = (text) => { document.querySelector('output').textContent = text; };
  document.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const token = new URLSearchParams(location.search).get('token') ?? '';
    const password = document.querySelector('input')?.value;
    const answer = await fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(${body}) });
    const { message } = await answer.json();
    say(answer.ok ? 'Done. You can close this page.' : message);
  });
`;

const CONFIRM = script('{ token }');
const PASSWORD = script('{ token, password }');

const page = (title: string, fields: string, button: string, code: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Watchledger</title></head>
<body><h1>${title}</h1><form>${fields}<button>${button}</button></form><p><output></output></p><script>${code}</script></body></html>
`;

const contentSecurityPolicy = (code: string): string => {
  const hash = createHash('sha256').update(code).digest('base64');
  return `default-src 'none'; script-src 'sha256-${hash}'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;
};

const field = '<label>New password <input type="password" minlength="8" autocomplete="new-password" required></label> ';
const confirmPage = page('Confirm your e-mail address', '', 'Confirm', CONFIRM);
const passwordPage = page('Choose a password', field, 'Save', PASSWORD);

/** The pages behind the links in mails. */
@Controller('account')
export class LinkPagesController {
  @Get('confirm')
  @Needs(openRight)
  confirm(@Res() reply: FastifyReply): void {
    sendPage(reply, confirmPage, CONFIRM);
  }

  @Get('password/reset')
  @Needs(openRight)
  password(@Res() reply: FastifyReply): void {
    sendPage(reply, passwordPage, PASSWORD);
  }
}

function sendPage(reply: FastifyReply, html: string, code: string): void {
  const headers = { 'content-security-policy': contentSecurityPolicy(code), 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' };
  void reply.headers(headers).type('text/html; charset=utf-8').send(html);
}

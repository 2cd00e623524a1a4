import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Markup, markup } from '../kernel/markup.ts';

/** The token is used only by the POST behind the button, so that a mail scanner that follows the link does not use it up. */
const CODE = `
  const say = (text) => { document.querySelector('output').textContent = text; };
  document.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const token = new URLSearchParams(location.search).get('token') ?? '';
    const password = document.querySelector('input')?.value;
    const answer = await fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token, password }) });
    const { message } = await answer.json();
    say(answer.ok ? 'Done. You can close this page.' : message);
  });
`;

const HASH = createHash('sha256').update(CODE).digest('base64');
const HEADERS = {
  'content-security-policy': `default-src 'none'; script-src 'sha256-${HASH}'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

export interface LinkPage {
  readonly title: string;
  /** Between the title and the form. */
  readonly text?: Markup;
  /** Without a form there is nothing to send. */
  readonly form: { readonly fields: Markup | null; readonly button: string } | null;
}

export const passwordField = (label: string): Markup =>
  markup`<label>${label} <input type="password" minlength="8" autocomplete="new-password" required></label> `;

export function sendLinkPage(reply: FastifyReply, page: LinkPage): void {
  void reply.headers(HEADERS).type('text/html; charset=utf-8').send(htmlOf(page));
}

const htmlOf = ({ title, text, form }: LinkPage): string =>
  markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Watchledger</title></head>
<body><h1>${title}</h1>${text ?? null}${form && markup`<form>${form.fields}<button>${form.button}</button></form><p><output></output></p><script>${new Markup(CODE)}</script>`}</body></html>
`.text;

import { WatchledgerClient } from '../../../client/client.ts';
import { isUrl } from '../../../kernel/url.ts';
import { type CliInput, type CliOption, WrongUse } from '../command.ts';
import { givenToken, tokenFile } from './given-token.ts';
import { ServerContact } from './server-contact.ts';

/** The options of every command that talks to a server. */
export const serverOptions: Readonly<Record<string, CliOption>> = {
  server: { type: 'string', value: 'URL', about: 'address of the service, or of its /api (default: the variable WATCHLEDGER_URL)' },
  'token-file': tokenFile,
};

/** A client of the server that the command line or the environment names. */
export function connect(input: CliInput): WatchledgerClient {
  const [baseUrl, token] = [serverAddress(input), givenToken(input)];
  const { fetch, beforeRepeat } = new ServerContact(baseUrl);
  return new WatchledgerClient({ baseUrl, token, fetch, beforeRepeat });
}

/** Without `/api` and without a slash at its end. */
export function serverAddress(input: CliInput): string {
  const given = input.text('server') ?? process.env['WATCHLEDGER_URL'] ?? '';
  if (!isUrl(given) || !/^https?:/.test(given)) throw new WrongUse('--server: must be the http or https address of the service');
  const { origin, pathname } = new URL(given);
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/api$/, '')}`;
}

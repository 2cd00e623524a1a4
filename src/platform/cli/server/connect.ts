import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { WatchledgerClient } from '../../../client/client.ts';
import { isUrl } from '../../../kernel/url.ts';
import { type CliInput, type CliOption, WrongUse } from '../command.ts';
import { ApiError, NoAnswer } from '../../../client/api-error.ts';
import type { FailedAttempt } from '../../../client/transport.ts';
import { type ProgressTarget, writeLine } from '../progress.ts';
import { reasonOf } from '../../../kernel/system-error.ts';

export const tokenFile: CliOption = {
  type: 'string',
  value: 'FILE',
  about: 'file with the token (default: the variable WATCHLEDGER_TOKEN)',
};

/** Never an argument, which other users of the machine can read. */
export function givenToken(input: CliInput): string {
  const file = input.text('token-file');
  const token = file === undefined ? process.env['WATCHLEDGER_TOKEN'] : readFileSync(file, 'utf8').trim();
  if (token === undefined || token === '') throw new WrongUse('WATCHLEDGER_TOKEN: is not set; or give --token-file FILE');
  return token;
}

/** A server that has never answered is more likely one of another address than one that restarts. */
const FIRST_CONTACT_MS = 5_000;
const SILENCE_MS = 2_000;

/** Reports on standard error that the server does not answer, and until when the command tries again. */
export class ServerContact {
  /** The first request. */
  private began: number | null = null;
  private isConnected = false;
  private hasAnswered = false;
  /** Since the last answer. */
  private isReported = false;

  constructor(
    private readonly address: string,
    private readonly target: ProgressTarget = process.stderr,
    private readonly now: () => number = () => Date.now(),
  ) {
    // Published by the `fetch` of Node.
    subscribe('undici:client:connected', () => {
      this.isConnected = true;
    });
  }

  readonly fetch: typeof fetch = async (...given) => {
    this.began ??= this.now();
    // After the events of sockets, which may have been waiting while files were read.
    const silence = setTimeout(() => setImmediate(this.reportSilence), SILENCE_MS);
    try {
      const answer = await fetch(...given);
      this.hasAnswered = true;
      this.isReported = false;
      return answer;
    } finally {
      clearTimeout(silence);
    }
  };

  readonly beforeRepeat = ({ error, waitMs, leftMs }: FailedAttempt): boolean => {
    const isFirstContact = !this.hasAnswered && error instanceof NoAnswer && error.reason === 'network';
    const end = isFirstContact ? (this.began ??= this.now()) + FIRST_CONTACT_MS : this.now() + leftMs;
    if (this.now() + waitMs > end) return false;
    const failure =
      error instanceof NoAnswer ? `cannot reach ${this.address} (${rootReasonOf(error)})` : `${this.address}: ${error.message}`;
    this.report(`${failure}; trying again until ${new Date(end).toLocaleTimeString('en-GB')}`);
    return true;
  };

  private readonly reportSilence = (): void => {
    if (!this.isConnected) this.report(`cannot reach ${this.address} yet; still trying`);
  };

  private report(what: string): void {
    if (this.isReported) return;
    this.isReported = true;
    writeLine(this.target, `watchledger: ${what}`);
  }
}

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

/** What a user of the command line can do about a server that refuses or does not answer; null for any other error. */
export function reasonOfAnswer(error: unknown): string | null {
  if (error instanceof NoAnswer) return `${error.message} (${rootReasonOf(error)}); is the address of --server or WATCHLEDGER_URL right?`;
  if (!(error instanceof ApiError)) return null;
  if (error.status === 401)
    return 'the server does not accept the token of WATCHLEDGER_TOKEN or --token-file: it is of another server, or has expired or been revoked';
  if (error.errorCode === 'SCOPE_MISSING') return `${error.message} Give one that has it, or one that is not narrowed.`;
  if (error.status === 403) return `${error.message} The account of the token may lack the right for it.`;
  return error.message;
}

/** The reason that the system states, such as `connect ECONNREFUSED …`. */
function rootReasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? rootReasonOf(cause) : reasonOf(error);
}

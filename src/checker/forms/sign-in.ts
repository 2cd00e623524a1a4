import type { Inconclusive, Answered, HeaderLine, FetchOutcome } from '../probe/outcome.ts';
import { Page } from '../page/page.ts';
import type { ProbeRequest } from '../probe/probe-request.ts';
import type { ProbeSession } from '../probe/probe-session.ts';
import type { Prober } from '../probe/prober.ts';
import { headerValue } from '../rules/stored-answer.ts';
import type { FormReader } from './form-reader.ts';
import type { FoundForm } from './found-form.ts';
import { submissionOf } from './submission.ts';
import { isSameSite } from '../../kernel/url.ts';

/** The sign-in form of an area; `params` is secret. */
export interface SavedForm {
  readonly baseUrl: string;
  readonly identifier: string;
  readonly params: string;
  /** It is submitted to this origin, or its https version, only. */
  readonly origin: string;
  /** When it was saved, or first found; empty if it was not found yet. */
  readonly checksum: string;
}

export type SignInResult =
  /** The session holds the cookies. `changed`: the form differs from the saved one, which is reported only. */
  | { readonly kind: 'signedIn'; readonly changed: boolean; readonly checksum: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly changed: boolean }
  | { readonly kind: 'timedOut'; readonly reason: string }
  | Inconclusive;

export interface SignInRequest extends Omit<ProbeRequest, 'url' | 'method' | 'body' | 'session'> {
  /** Shared with the run that the sign-in is for. */
  readonly session: ProbeSession;
}

const failed = (reason: string, changed = false): SignInResult => ({ kind: 'failed', reason, changed });

const pageOf = (answer: Answered): Page =>
  new Page({ body: answer.body, contentType: headerValue(answer, 'content-type') ?? '', cut: answer.cut });

function notAnswered(outcome: Exclude<FetchOutcome, Answered>, what: string): SignInResult {
  if (outcome.kind === 'failed') return failed(`${what} cannot be fetched: ${outcome.reason}`);
  return { kind: outcome.kind, reason: `${what}: ${outcome.reason}` };
}

/** Submits a sign-in form as a browser would (docs/spec/decisions.md#T12): fetches its page, fills in the form, sends it. */
export class FormSignIn {
  constructor(
    private readonly prober: Pick<Prober, 'fetch'>,
    private readonly reader: Pick<FormReader, 'findForms'>,
  ) {}

  async signIn(saved: SavedForm, request: SignInRequest): Promise<SignInResult> {
    const page = await this.prober.fetch({ ...request, url: saved.baseUrl });
    if (page.kind !== 'answered') return notAnswered(page, 'the sign-in page');
    if (page.status >= 400) return failed(`the sign-in page answered with status ${String(page.status)}`);
    const found = await this.find(saved.identifier, page, request);
    if (!('identifier' in found)) return found;
    const changed = saved.checksum !== '' && saved.checksum !== found.checksum;
    const origin = new URL(found.action).origin;
    if (!isSameSite(saved.origin, origin)) {
      return failed(`the form now leads to ${origin.slice(0, 100)}, and nothing was sent there`, true);
    }
    return this.submit(saved, found, page, request, changed);
  }

  private async find(identifier: string, page: Answered, { source }: SignInRequest): Promise<FoundForm | SignInResult> {
    const { html, charset } = pageOf(page);
    const read = await this.reader.findForms(html, page.url, charset, source);
    if (read.kind === 'inconclusive') return read;
    if (read.kind === 'refused') return failed(`the forms of the sign-in page cannot be read: ${read.reason}`);
    return (
      read.forms.find((form) => form.identifier === identifier) ??
      failed(`the form ${identifier.slice(0, 80)} is not on the sign-in page`, true)
    );
  }

  private async submit(saved: SavedForm, form: FoundForm, page: Answered, request: SignInRequest, changed: boolean): Promise<SignInResult> {
    const submission = submissionOf(form, saved.params);
    const sameOrigin = new URL(submission.url).origin === new URL(page.url).origin;
    // Sent by browsers with a form.
    const formHeaders: HeaderLine[] = [['Referer', sameOrigin ? (page.url.split('#')[0] ?? '') : `${new URL(page.url).origin}/`]];
    if (submission.method === 'POST') formHeaders.push(['Origin', new URL(page.url).origin]);
    // The headers of the request are those for the sign-in page as it was saved, wherever that redirected to.
    const headers = [...(isSameSite(saved.baseUrl, submission.url) ? (request.headers ?? []) : []), ...formHeaders];
    const answer = await this.prober.fetch({ ...request, ...submission, headers });
    if (answer.kind !== 'answered') return notAnswered(answer, 'the answer to the form');
    if (answer.status >= 400) return failed(`the form was answered with status ${String(answer.status)}`, changed);
    const isShownAgain = form.hasPassword && (await this.isShownAgain(form, answer, request));
    if (typeof isShownAgain === 'object') return isShownAgain;
    if (isShownAgain) return failed('the sign-in was refused: the form came back', changed);
    return { kind: 'signedIn', changed, checksum: form.checksum };
  }

  /** A sign-in page that shows the same form again has refused the credentials; inconclusive if its forms cannot be read. */
  private async isShownAgain(form: FoundForm, answer: Answered, { source }: SignInRequest): Promise<boolean | Inconclusive> {
    const { html, charset } = pageOf(answer);
    if (!/type\s*=\s*["']?password/i.test(html)) return false;
    const read = await this.reader.findForms(html, answer.url, charset, source);
    if (read.kind === 'inconclusive') return read;
    return (
      read.kind === 'read' &&
      read.forms.some(({ identifier, hasPassword, action }) => hasPassword && identifier === form.identifier && action === form.action)
    );
  }
}

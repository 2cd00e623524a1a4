import { Page } from '../page/page.ts';
import type { Answered, HeaderLine, FetchOutcome } from '../probe/outcome.ts';
import type { ProbeRequest } from '../probe/probe-request.ts';
import type { ProbeSession } from '../probe/probe-session.ts';
import type { Prober } from '../probe/prober.ts';
import { headerValue } from '../rules/stored-answer.ts';
import type { FormReader, FormsRead } from './form-reader.ts';
import type { FoundForm } from './found-form.ts';
import { submissionOf } from './submission.ts';
import { isUrl } from '../../kernel/url.ts';

/** A form as an area keeps it; `params` is a secret. */
export interface SavedForm {
  readonly baseUrl: string;
  readonly identifier: string;
  readonly params: string;
  /** Where it led when it was saved; it is submitted to that origin only. Empty: wherever it leads. */
  readonly action: string;
  /** As of when it was saved; empty when that is not known. */
  readonly checksum: string;
}

export type SignInResult =
  /** `changed`: the form is not as it was saved, which is told and does no harm. The session now holds the cookies. */
  | { readonly kind: 'signedIn'; readonly changed: boolean; readonly checksum: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly changed: boolean }
  | { readonly kind: 'timedOut'; readonly reason: string }
  | { readonly kind: 'inconclusive'; readonly reason: string };

export interface SignInRequest extends Omit<ProbeRequest, 'url' | 'method' | 'body' | 'session'> {
  /** Of the run that the sign-in is for. */
  readonly session: ProbeSession;
}

const failed = (reason: string, changed = false): SignInResult => ({ kind: 'failed', reason, changed });

const pageOf = (answer: Answered): Page =>
  new Page({ body: answer.body, contentType: headerValue(answer, 'content-type') ?? '', cut: answer.cut });

function notAnswered(outcome: Exclude<FetchOutcome, Answered>, what: string): SignInResult {
  if (outcome.kind === 'failed') return failed(`${what} cannot be fetched: ${outcome.reason}`);
  return { kind: outcome.kind, reason: `${what}: ${outcome.reason}` };
}

/** Signs in before the checks of an area (docs/spec/decisions.md#T12): page, form, submission, all as a browser would. */
export class FormSignIn {
  constructor(
    private readonly prober: Pick<Prober, 'fetch'>,
    private readonly reader: Pick<FormReader, 'findForms'>,
  ) {}

  async signIn(saved: SavedForm, request: SignInRequest): Promise<SignInResult> {
    const page = await this.prober.fetch({ ...request, url: saved.baseUrl });
    if (page.kind !== 'answered') return notAnswered(page, 'the sign-in page');
    if (page.status >= 400) return failed(`the sign-in page answered with status ${String(page.status)}`);
    const found = await this.find(saved.identifier, page);
    if (!('identifier' in found)) return found;
    const changed = saved.checksum !== '' && saved.checksum !== found.checksum;
    const origin = new URL(found.action).origin;
    if (saved.action !== '' && isUrl(saved.action) && new URL(saved.action).origin !== origin) {
      return failed(`the form now leads to ${origin.slice(0, 100)}, and nothing was sent there`, true);
    }
    return this.submit(saved, found, page, request, changed);
  }

  private async find(identifier: string, page: Answered): Promise<FoundForm | SignInResult> {
    const { html, charset } = pageOf(page);
    const read = await this.reader.findForms(html, page.url, charset);
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
    // As a browser says where a form stood; what is meant for the site alone stays there.
    const standing: HeaderLine[] = [['Referer', sameOrigin ? (page.url.split('#')[0] ?? '') : `${new URL(page.url).origin}/`]];
    if (submission.method === 'POST') standing.push(['Origin', new URL(page.url).origin]);
    const headers = [...(sameOrigin ? (request.headers ?? []) : []), ...standing];
    const answer = await this.prober.fetch({ ...request, ...submission, headers });
    if (answer.kind !== 'answered') return notAnswered(answer, 'the answer to the form');
    if (answer.status >= 400) return failed(`the form was answered with status ${String(answer.status)}`, changed);
    const cameBack = form.hasPassword && (await this.isBack(form, answer));
    if (typeof cameBack === 'object') return cameBack;
    if (cameBack) return failed('the sign-in was refused: the form came back', changed);
    return { kind: 'signedIn', changed, checksum: form.checksum };
  }

  /** Where we could not look, nobody knows whether it went well: not even we. */
  private async isBack(form: FoundForm, answer: Answered): Promise<boolean | Extract<FormsRead, { kind: 'inconclusive' }>> {
    const { html, charset } = pageOf(answer);
    if (!/type\s*=\s*["']?password/i.test(html)) return false;
    const read = await this.reader.findForms(html, answer.url, charset);
    if (read.kind === 'inconclusive') return read;
    return (
      read.kind === 'read' &&
      read.forms.some(({ identifier, hasPassword, action }) => hasPassword && identifier === form.identifier && action === form.action)
    );
  }
}

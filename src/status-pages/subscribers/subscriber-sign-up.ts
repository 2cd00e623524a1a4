import { randomBytes } from 'node:crypto';
import type { StatusPageLanguage } from '../status-page.settings.ts';
import { randomId } from '../../kernel/ids.ts';
import type { NetworkLimit } from '../../accounts/tokens/network-limit.ts';
import type { TryStore } from '../../accounts/tokens/try-store.ts';
import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { Post } from '../../alerts/channels/post.ts';
import type { MailOutbox } from '../../platform/mail/mail-outbox.ts';
import { signed } from '../../platform/outbox/standard-webhooks.ts';
import { composeConfirmation, type MessagePage, webhookConfirmation } from './status-message.ts';
import type { SignUp, SubscriberKind, SubscriberLinks } from './subscriber-links.ts';

interface SubscriberSignUpParts {
  readonly links: SubscriberLinks;
  readonly mails: Pick<MailOutbox, 'add'>;
  readonly post: Post;
  readonly guard: Pick<SsrfGuard, 'readUrl'>;
  /** Counts the sign-ups of one hour by network. */
  readonly networks: Pick<NetworkLimit, 'count'>;
  /** Count the attempts of one hour, and of a day. */
  readonly hour: Pick<TryStore, 'recordAttempt'>;
  readonly day: Pick<TryStore, 'recordAttempt'>;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

interface Asked {
  readonly page: MessagePage & { readonly pageId: string };
  readonly kind: SubscriberKind;
  readonly address: string;
  readonly items: readonly string[];
  readonly language: StatusPageLanguage;
  /** The IP address of the request. */
  readonly from: string;
  /** Before the token. */
  readonly confirmUrl: string;
}

const VALID_MS = 24 * 3_600_000;
/** Sign-ups from one network an hour. */
export const SIGN_UPS_PER_NETWORK = 20;
const PER_PAGE_AND_HOUR = 200;
/** Messages to one address, or requests to one host, a day: an address that is not its owner's must not be flooded. */
const PER_ADDRESS_AND_DAY = 5;
const PER_HOST_AND_DAY = 20;

export type SignUpAnswer = { readonly kind: 'sent'; readonly secret: string | null } | { readonly kind: 'wrong address' | 'too many' };

/**
 * Double opt-in: sends a link that confirms the address. It reads no subscriber, so its answer and its time are the same for a known address and an unknown
 * one; beyond the limit of an address nothing is sent, and the answer stays the same.
 */
export class SubscriberSignUp {
  constructor(private readonly parts: SubscriberSignUpParts) {}

  async ask({ page, kind, address, items, language, from, confirmUrl }: Asked): Promise<SignUpAnswer> {
    const { links, now, networks, hour } = this.parts;
    const host = kind === 'webhook' ? this.hostOf(address) : null;
    if (kind === 'webhook' && host === null) return { kind: 'wrong address' };
    if ((await networks.count(from)) > 0) return { kind: 'too many' };
    if (!(await hour.recordAttempt(`subscribers of ${page.pageId}`, PER_PAGE_AND_HOUR))) return { kind: 'too many' };
    const secret = kind === 'webhook' ? `whsec_${randomBytes(32).toString('base64')}` : null;
    const signUp: SignUp = { pageId: page.pageId, kind, address, secret, items, language, expiresAt: now() + VALID_MS };
    if (!(await this.mayReach(signUp, host))) return { kind: 'sent', secret };
    const link = `${confirmUrl}${await links.signUpToken(signUp)}`;
    if (secret === null) await this.parts.mails.add({ to: address, ...composeConfirmation(page.title, link, signUp) });
    // Not waited for: the answer must not show whether, and how fast, a host answers.
    else void this.post(page, link, signUp, secret).catch(this.parts.report);
    return { kind: 'sent', secret };
  }

  private hostOf(address: string): string | null {
    const read = this.parts.guard.readUrl(address);
    return read.ok ? read.url.hostname : null;
  }

  private async mayReach({ kind, address }: SignUp, host: string | null): Promise<boolean> {
    const { links, day } = this.parts;
    // Over all pages.
    const hash = await links.addressHash({ pageId: '', kind, address });
    if (!(await day.recordAttempt(`subscriber ${hash}`, PER_ADDRESS_AND_DAY))) return false;
    return host === null || day.recordAttempt(`subscriber host ${host}`, PER_HOST_AND_DAY);
  }

  private async post(page: MessagePage, link: string, { address, expiresAt }: SignUp, secret: string): Promise<void> {
    const { post, now } = this.parts;
    const body = webhookConfirmation(page, link, expiresAt, now());
    const headers = { 'content-type': 'application/json', ...signed([secret], randomId(), Math.floor(now() / 1_000), body) };
    await post({ url: address, body, headers });
  }
}

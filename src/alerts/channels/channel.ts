import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import type { DeliveryOutcome, Post } from './post.ts';
import type { Message } from '../composing/message.ts';

/** Decrypted address and keys of one recipient on a channel; kept only while a message is sent. */
export type DecryptedChannelSettings = Readonly<Record<string, string>>;

/** Everything a channel may send with. */
export interface Transports {
  /** To an address that a user gave. */
  readonly post: Post;
  /** To an endpoint that the operator configured. */
  readonly postToService: Post;
  readonly mailer: Mailer;
  readonly mailFrom: string;
  readonly pagerdutyUrl: string;
  readonly pushoverUrl: string;
  readonly pushbulletUrl: string;
  /** The keys in use: two during a rotation, the one for new subscriptions first. */
  readonly vapid: () => Promise<readonly VapidKeys[]>;
  readonly now: () => number;
}

export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

export type ParsedSettings =
  | { readonly ok: true; readonly settings: DecryptedChannelSettings }
  | { readonly ok: false; readonly reason: string };

export interface Channel {
  /** Messages in flight at once, over all recipients. */
  readonly maxConcurrent: number;
  /** A problem opens an incident at the receiver, which stays open until a message resolves it. */
  readonly opensIncidents?: true;
  /** Validates the settings that a user submits. */
  readonly parseSettings: (given: Readonly<Record<string, unknown>>, guard: Pick<SsrfGuard, 'readUrl'>) => ParsedSettings;
  readonly deliver: (settings: DecryptedChannelSettings, message: Message, transports: Transports) => Promise<DeliveryOutcome>;
}

import type { Guard } from '../../security/ssrf-guard/guard.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Post } from './post.ts';
import type { Message } from '../composing/message.ts';

/** What a message needs to reach somebody on a channel, in the clear: only for the moment of sending. */
export type Settings = Readonly<Record<string, string>>;

export type DeliveryOutcome =
  | { readonly kind: 'delivered'; readonly answer: string }
  /** The last word: trying again would be answered the same. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs: number | null };

/** The way out that channels are given; they know no other. */
export interface Outside {
  readonly post: Post;
  readonly mailer: Mailer;
  readonly mailFrom: string;
  readonly pagerdutyUrl: string;
  readonly pushoverUrl: string;
  readonly pushbulletUrl: string;
  readonly vapid: () => Promise<VapidKeys>;
  readonly now: () => number;
}

export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

export type Read = { readonly ok: true; readonly settings: Settings } | { readonly ok: false; readonly reason: string };

export interface Channel {
  /** At most so many messages at once, over all recipients. */
  readonly parallel: number;
  /** What a problem opens over there stays open until it hears of the end, whatever the end was. */
  readonly staysOpen?: true;
  /** What somebody sent to set it up, as it will be kept. */
  readonly read: (given: Readonly<Record<string, unknown>>, guard: Pick<Guard, 'readUrl'>) => Read;
  readonly deliver: (settings: Settings, message: Message, outside: Outside) => Promise<DeliveryOutcome>;
}

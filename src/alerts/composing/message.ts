/** What a message states about one cause. Stored with the intent, so it holds no names (they are read at delivery) and no secrets. */
export interface AlertFacts {
  readonly about: 'check' | 'uptime' | 'certificate' | 'redirect';
  readonly checkId?: string;
  readonly status: 'ok' | 'error' | 'timeout';
  readonly failures: readonly string[];
  /** Start of the failure, also in the message about its recovery. */
  readonly since: string;
  /** The instant of the recovery, in the message about it. */
  readonly until?: string;
  readonly url: string;
  readonly at: string;
  readonly location: string;
  readonly milliseconds?: number;
  /** The id of the event that says so. */
  readonly event?: string;
}

/** One entry of a message, with the check's current name. */
export interface MessageItem extends AlertFacts {
  /** Empty for causes of the project rather than a check. */
  readonly name: string;
  /** The address of the evidence in the console; missing where no address of the console is known. */
  readonly evidence?: string;
}

export interface Message {
  readonly id: string;
  readonly kind: 'problem' | 'recovery' | 'withdrawal' | 'test';
  readonly project: { readonly id: string; readonly title: string; readonly url: string };
  readonly items: readonly MessageItem[];
  /** The recipient's time zone. */
  readonly zone: string;
  /** Creation time. */
  readonly at: string;
  /** W3C Trace Context of this attempt to deliver it. */
  readonly traceparent: string;
  /** The earlier messages whose failures this message ends. */
  readonly answers: readonly AnsweredMessage[];
}

export interface AnsweredMessage {
  readonly id: string;
  /** Every failure that it reported has ended. */
  readonly over: boolean;
  /** The channel settings it was sent with, when they differ from the current ones. */
  readonly settings?: Readonly<Record<string, string>>;
}

export type MessageStatus = 'ok' | 'error' | 'timeout';

export const worst = (statuses: readonly MessageStatus[]): MessageStatus =>
  statuses.includes('error') ? 'error' : statuses.includes('timeout') ? 'timeout' : 'ok';

export const worstStatus = ({ items }: Pick<Message, 'items'>): MessageStatus => worst(items.map(({ status }) => status));

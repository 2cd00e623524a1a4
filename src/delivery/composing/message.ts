import type { Facts } from '../../processes/notifications/facts.ts';

/** One thing that a message tells, with the name that it has today. */
export interface Item extends Facts {
  /** Of the check; empty for what belongs to the project. */
  readonly name: string;
}

export interface Message {
  readonly id: string;
  readonly kind: 'problem' | 'recovery' | 'withdrawal' | 'test';
  readonly project: { readonly id: string; readonly title: string; readonly url: string };
  readonly items: readonly Item[];
  /** Of the recipient. */
  readonly zone: string;
  /** When it was made. */
  readonly at: string;
  /** The earlier messages whose failures end with this one. */
  readonly answers: readonly Answered[];
}

export interface Answered {
  readonly id: string;
  /** Nothing of what it told goes on. */
  readonly over: boolean;
  /** Where it went, when that is another place than where the recipient is told today. */
  readonly settings?: Readonly<Record<string, string>>;
}

export type MessageStatus = 'ok' | 'error' | 'timeout';

export const worst = (statuses: readonly MessageStatus[]): MessageStatus =>
  statuses.includes('error') ? 'error' : statuses.includes('timeout') ? 'timeout' : 'ok';

export const statusOf = ({ items }: Pick<Message, 'items'>): MessageStatus => worst(items.map(({ status }) => status));

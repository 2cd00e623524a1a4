import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { ProbeEvents } from '../../checker/probe.events.ts';
import { httpVersionOf, isSamePlace, type RedirectStatus, redirectStatus } from './redirect-status.ts';
import type { RedirectEvents } from './redirect.events.ts';
import { projectStream, redirectStream } from '../../kernel/stream-names.ts';

type Written = RedirectEvents & Pick<ProbeEvents, 'ProbeStarted'>;
export type RedirectEvent = EventOf<Written>;

/** What was found at the http version of the project; another url begins anew. */
export type Redirect =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly url: string; readonly status: RedirectStatus; readonly finalUrl: string | null };

const initial: Redirect = { kind: 'unknown' };

function evolve(state: Redirect, event: RedirectEvent): Redirect {
  switch (event.type) {
    case 'RedirectVerified':
    case 'RedirectFailed':
    case 'RedirectUnreachable': {
      const { url, finalUrl } = event.data;
      return { kind: 'known', url, finalUrl, status: statusOf[event.type] };
    }
    case 'ProbeStarted':
      return state;
    default:
      return ignoreUnknownEvent(event, state);
  }
}

const statusOf = { RedirectVerified: 'ok', RedirectFailed: 'failed', RedirectUnreachable: 'unreachable' } as const satisfies Record<
  keyof RedirectEvents,
  RedirectStatus
>;
const typeOf = { ok: 'RedirectVerified', failed: 'RedirectFailed', unreachable: 'RedirectUnreachable' } as const;

export type RedirectAnswer =
  | { readonly kind: 'answered'; readonly finalUrl: string }
  | { readonly kind: 'silent'; readonly reason: string };

export interface RedirectOrigin {
  readonly projectId: string;
  readonly projectUrl: string;
  readonly location: string;
  readonly at: number;
  /** SHA-256 of the exchange. */
  readonly exchange?: string;
}

export function recordRedirect(state: Redirect, answer: RedirectAnswer, origin: RedirectOrigin): readonly RedirectEvent[] {
  const { projectId, projectUrl, location, exchange } = origin;
  const url = httpVersionOf(projectUrl);
  if (url === null) return [];
  const finalUrl = answer.kind === 'answered' ? answer.finalUrl : null;
  const status = redirectStatus(projectUrl, finalUrl);
  const known = state.kind === 'known' && state.url === url ? state : null;
  if (known?.status === status && isSamePlace(known.finalUrl, finalUrl)) return [];
  const at = new Date(origin.at).toISOString();
  const reason = answer.kind === 'silent' ? answer.reason : null;
  const data = { url, finalUrl, reason, location, at, before: known?.status ?? null, ...(exchange !== undefined && { exchange }) };
  const started: RedirectEvent = {
    type: 'ProbeStarted',
    data: { projectId, purpose: 'redirect', url, location, startedAt: at, confirming: false },
  };
  return [started, { type: typeOf[status], data }];
}

export const redirect: Decider<Redirect, RedirectEvent> = { initial, evolve };

export const redirectTarget = (projectId: string) => ({
  stream: redirectStream(projectId),
  scope: projectStream(projectId),
  decider: redirect,
});

import { shortened } from '../../kernel/text.ts';
import type { DeliveryOutcome } from './channel.ts';
import type { Reply } from './post.ts';

const RETRYABLE = new Set([408, 425, 429]);

const MAX_EXCERPT = 160;

/** Retries 5xx and the 4xx statuses that name a temporary condition; every other 4xx is final. */
export function outcomeOfReply(reply: Reply): DeliveryOutcome {
  switch (reply.kind) {
    case 'forbidden':
      return { kind: 'refused', reason: reply.reason };
    case 'failed':
      return { kind: 'later', reason: reply.reason, afterMs: null };
    case 'answered': {
      const { status, retryAfterMs } = reply;
      const answer = `answered ${String(status)}${excerpt(reply.body)}`;
      if (status >= 200 && status < 300) return { kind: 'delivered', answer };
      if (status >= 300 && status < 400) return { kind: 'refused', reason: `answered ${String(status)}: redirects are not followed` };
      if (status >= 500 || RETRYABLE.has(status)) return { kind: 'later', reason: answer, afterMs: retryAfterMs };
      return { kind: 'refused', reason: answer };
    }
  }
}

function excerpt(body: string): string {
  const text = body
    .slice(0, 4 * MAX_EXCERPT)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (text === '' || text.startsWith('<')) return '';
  return `: ${shortened(text, MAX_EXCERPT)}`;
}

const QUESTION = 'who listens?';
const ANSWER = 'another process listens';

interface ListenerTiming {
  /** Others that were not heard for so long are asked. */
  readonly askAfterMs: number;
  /** Longer than a busy process takes to answer. */
  readonly answerMs: number;
}

/** What a notification of another process asks for. */
export interface Heard {
  /** The payload to send back; null for none. */
  readonly answer: string | null;
  /** It answers the question that was asked when the connection was established. */
  readonly isAnswer: boolean;
  /** The topic that rang; null for none. */
  readonly topic: string | null;
}

/**
 * Whether another process listens to the channel: each asks when it connects, and from time to time while it hears nothing. A listener is alone once its
 * question had no answer, until it hears another. One that is asked sends from that moment on; the process that asked rings once more for what came before.
 */
export class OtherListeners {
  private heardAt = -Infinity;
  private askedAt: number | null = null;
  private isNew = true;

  constructor(
    private readonly timing: ListenerTiming = { askAfterMs: 60_000, answerMs: 10_000 },
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The question to send on a new connection, before which nothing was heard. */
  connected(): string {
    this.heardAt = -Infinity;
    this.isNew = true;
    this.askedAt = this.now();
    return QUESTION;
  }

  heard(payload: string): Heard {
    this.heardAt = this.now();
    this.askedAt = null;
    if (payload === QUESTION) return { answer: ANSWER, isAnswer: false, topic: null };
    if (payload !== ANSWER) return { answer: null, isAnswer: false, topic: payload };
    return { answer: null, isAnswer: this.isNew, topic: null };
  }

  isAlone(): boolean {
    const isUnanswered = this.askedAt !== null && this.now() - this.askedAt > this.timing.answerMs;
    if (isUnanswered) this.isNew = false;
    return isUnanswered;
  }

  /** The question to send with a ring, where others were not heard for long; null for none. */
  question(): string | null {
    if (this.askedAt !== null || this.now() - this.heardAt < this.timing.askAfterMs) return null;
    this.askedAt = this.now();
    return QUESTION;
  }
}

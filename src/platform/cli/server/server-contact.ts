import { subscribe } from 'node:diagnostics_channel';
import { NoAnswer } from '../../../client/api-error.ts';
import type { FailedAttempt } from '../../../client/transport.ts';
import { type ProgressTarget, writeLine } from '../progress.ts';
import { rootReasonOf } from './reason-of-answer.ts';

/** A server that has never answered is more likely one of another address than one that restarts. */
const FIRST_CONTACT_MS = 5_000;
const SILENCE_MS = 2_000;

/** Reports on standard error that the server does not answer, and until when the command tries again. */
export class ServerContact {
  /** The first request. */
  private began: number | null = null;
  private isConnected = false;
  private hasAnswered = false;
  /** Since the last answer. */
  private isReported = false;

  constructor(
    private readonly address: string,
    private readonly target: ProgressTarget = process.stderr,
    private readonly now: () => number = () => Date.now(),
  ) {
    // Published by the `fetch` of Node.
    subscribe('undici:client:connected', () => {
      this.isConnected = true;
    });
  }

  readonly fetch: typeof fetch = async (...given) => {
    this.began ??= this.now();
    // After the events of sockets, which may have been waiting while files were read.
    const silence = setTimeout(() => setImmediate(this.reportSilence), SILENCE_MS);
    try {
      const answer = await fetch(...given);
      this.hasAnswered = true;
      this.isReported = false;
      return answer;
    } finally {
      clearTimeout(silence);
    }
  };

  readonly beforeRepeat = ({ error, waitMs, leftMs }: FailedAttempt): boolean => {
    const isFirstContact = !this.hasAnswered && error instanceof NoAnswer && error.reason === 'network';
    const end = isFirstContact ? (this.began ??= this.now()) + FIRST_CONTACT_MS : this.now() + leftMs;
    if (this.now() + waitMs > end) return false;
    const failure =
      error instanceof NoAnswer ? `cannot reach ${this.address} (${rootReasonOf(error)})` : `${this.address}: ${error.message}`;
    this.report(`${failure}; trying again until ${new Date(end).toLocaleTimeString('en-GB')}`);
    return true;
  };

  private readonly reportSilence = (): void => {
    if (!this.isConnected) this.report(`cannot reach ${this.address} yet; still trying`);
  };

  private report(what: string): void {
    if (this.isReported) return;
    this.isReported = true;
    writeLine(this.target, `watchledger: ${what}`);
  }
}

import type { CertificateSeen } from './certificate.ts';
import { BodyReader } from './body.ts';
import { isStale, readChallenge } from './challenge.ts';
import { OpenThings } from './connections.ts';
import { readCoding } from './content-coding.ts';
import { headersOf, type Head } from './exchange.ts';
import { open, type HopContext } from './hop.ts';
import type { Answered, Hop, Outcome, PhaseName, Trouble } from './outcome.ts';
import { PhaseClock } from './phase-clock.ts';
import type { ProbeRequest } from './probe-request.ts';
import { ProbeSession } from './probe-session.ts';
import type { ProbeTools } from './probe-tools.ts';
import { nextRequest } from './redirect.ts';
import { outgoing } from './request-headers.ts';
import { failed } from './trouble.ts';

/** A timer that comes later than this was held up by ourselves. */
const OWN_DELAY_MS = 200;

const LATE: Readonly<Record<PhaseName, string>> = {
  dns: 'its name was not resolved',
  connect: 'the connection was not made',
  tls: 'the TLS handshake did not end',
  request: 'the request could not be sent',
  wait: 'the server did not begin to answer',
  download: 'the answer was not complete',
};

type Content = Pick<Answered, 'kind' | 'httpVersion' | 'status' | 'statusText' | 'headers' | 'body' | 'size' | 'cut'>;

/** One fetch from the first name to the last byte, under one absolute deadline. */
export class Journey {
  private readonly clock = new PhaseClock();
  private readonly things = new OpenThings();
  private readonly session: ProbeSession;
  private readonly hops: Hop[] = [];
  private readonly answeredTo = new Set<string>();
  private url: string;
  private certificate: CertificateSeen | null = null;
  private address: string | null = null;
  private reader: BodyReader | undefined;
  private readonly context: HopContext;

  constructor(
    private readonly request: ProbeRequest,
    private readonly tools: ProbeTools,
  ) {
    this.session = request.session ?? new ProbeSession();
    this.url = request.url;
    const { clock, things } = this;
    this.context = { request, tools, clock, things, saw: (seen) => this.saw(seen) };
  }

  run(): Promise<Outcome> {
    return new Promise((resolve) => {
      const { timeoutMs, signal } = this.request;
      const end = (outcome: Outcome): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        resolve(outcome);
        this.things.closeAll();
      };
      const giveUp = (): void => end({ kind: 'own', reason: 'the probe was given up', ...this.soFar() });
      const timer = setTimeout(() => end(this.late(timeoutMs)), timeoutMs);
      signal?.addEventListener('abort', giveUp);
      if (signal?.aborted === true) {
        giveUp();
        return;
      }
      this.travel().then(
        (result) => end(this.outcome(result, timeoutMs)),
        (error: unknown) => end(this.outcome({ kind: 'own', reason: `the probe broke: ${String(error).slice(0, 150)}` }, timeoutMs)),
      );
    });
  }

  private saw(seen: Parameters<HopContext['saw']>[0]): void {
    if ('certificate' in seen) this.certificate = seen.certificate;
    else this.address = seen.address;
  }

  private soFar(): Pick<Outcome, 'url' | 'hops' | 'phases' | 'certificate' | 'address'> {
    return { url: this.url, hops: this.hops, phases: this.clock.soFar(), certificate: this.certificate, address: this.address };
  }

  private late(timeoutMs: number): Outcome {
    const during = this.clock.during;
    const soFar = this.soFar();
    if (soFar.phases.total > timeoutMs + OWN_DELAY_MS) return { kind: 'own', reason: 'this machine was too busy to look', ...soFar };
    if (this.reader?.waitsForSeat === true) return { kind: 'own', reason: 'too many large pages at once', ...soFar };
    if (during === 'dns' && this.tools.guard.namesSilentSince(this.clock.startedAt))
      return { kind: 'own', reason: 'no name server answers', ...soFar };
    return { kind: 'timedOut', during, reason: `no whole answer within ${String(timeoutMs / 1000)} s: ${LATE[during]}`, ...soFar };
  }

  private outcome(result: Content | Trouble, timeoutMs: number): Outcome {
    const during = this.clock.during;
    const soFar = this.soFar();
    // It came too late, though before our own late timer.
    if (soFar.phases.total > timeoutMs + OWN_DELAY_MS) return { kind: 'own', reason: 'this machine was too busy to look', ...soFar };
    return result.kind === 'failed' ? { ...result, during, ...soFar } : { ...result, ...soFar };
  }

  private async travel(): Promise<Content | Trouble> {
    const read = this.tools.guard.readUrl(this.request.url);
    if (!read.ok) return failed('target', read.reason);
    const first = read.url;
    let next = outgoing(this.request, this.session, first, this.request.method ?? 'GET', first);
    for (;;) {
      this.url = next.url.href;
      const head = await open(next, this.context);
      if (head.kind !== 'head') return head;
      this.session.keep(next.url, headersOf(head.headers, 'set-cookie'));
      if (this.mayTrySignIn(head, next.url)) {
        this.clock.enter('dns');
        next = outgoing(this.request, this.session, next.url, next.method, first);
      } else {
        const redirect = nextRequest(head, next, this.request, this.hops.length, this.tools.guard);
        if (redirect === null) return this.content(head);
        if (redirect.kind === 'failed') return redirect;
        this.hops.push({
          url: next.url.href,
          status: head.status,
          location: redirect.location,
          to: redirect.url.href,
          phases: this.clock.endHop(),
        });
        next = outgoing(this.request, this.session, redirect.url, redirect.method, first);
      }
      this.things.closeHop();
    }
  }

  /**
   * Once a fetch for each origin: a second refusal is the answer. What an earlier fetch of the run learned may be stale, and so, behind a redirect, may
   * what this one learned.
   */
  private mayTrySignIn(head: Head, { origin }: URL): boolean {
    const { signIn } = this.request;
    const refused = head.status === 401 && signIn !== undefined && new URL(signIn.url).origin === origin;
    if (!refused) return false;
    const challenge = readChallenge(headersOf(head.headers, 'www-authenticate'));
    if (challenge === null) return false;
    const isUsedUp = isStale(challenge) && (this.session.challenges.get(origin)?.uses ?? 0) > 1;
    if (this.answeredTo.has(origin) && !isUsedUp) return false;
    this.answeredTo.add(origin);
    this.session.challenges.set(origin, { challenge, uses: 0 });
    return true;
  }

  private async content(head: Head): Promise<Content | Trouble> {
    const { httpVersion, status, statusText, headers } = head;
    const coding = readCoding(headersOf(headers, 'content-encoding').join(','));
    if (coding.kind === 'unknown') return failed('body', coding.reason);
    this.reader = new BodyReader(this.tools.largeBodies, this.things);
    const body = await this.reader.read(head.source, coding, head.isComplete);
    if (body.kind !== 'body') return body;
    return { kind: 'answered', httpVersion, status, statusText, headers, body: body.bytes, size: body.size, cut: body.cut };
  }
}

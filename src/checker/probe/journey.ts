import { inconclusive, type Answered, type ExchangeFailure, type FetchOutcome, type PhaseName, type RedirectHop } from './outcome.ts';
import type { CertificateSeen } from './certificate.ts';
import { OpenResources } from './connections.ts';
import { readCoding } from './content-coding.ts';
import { headersOf, type ResponseHead } from './exchange.ts';
import { failed } from './failure-reasons.ts';
import { type HopContext, type ProbeTools, requestHead } from './hop.ts';
import { isStale, readChallenge } from './http-authentication.ts';
import { buildRequest, type OutgoingRequest, redirectOf, sentRequest } from './outgoing-request.ts';
import { PhaseClock } from './phase-clock.ts';
import type { ProbeRequest } from './probe-request.ts';
import { ProbeSession } from './probe-session.ts';
import { BodyReader, TOO_MANY_LARGE_BODIES } from './response-body.ts';

/** If the deadline fires this late, this process was blocked, and the measurement is void. */
const MAX_TIMER_DELAY_MS = 200;
const TOO_BUSY = inconclusive('this machine was too busy to measure');

const UNFINISHED: Readonly<Record<PhaseName, string>> = {
  dns: 'its name was not resolved',
  connect: 'the connection was not made',
  tls: 'the TLS handshake did not end',
  request: 'the request could not be sent',
  wait: 'the server did not begin to answer',
  download: 'the answer was not complete',
};

type Content = Pick<Answered, 'kind' | 'httpVersion' | 'status' | 'statusText' | 'headers' | 'body' | 'size' | 'cut'>;

/** One fetch from the first name lookup to the last byte, over all redirects, under one absolute deadline. */
export class Journey {
  private readonly clock = new PhaseClock();
  private readonly resources = new OpenResources();
  private readonly session: ProbeSession;
  private readonly hops: RedirectHop[] = [];
  private readonly authenticatedOrigins = new Set<string>();
  private url: string;
  private certificate: CertificateSeen | null = null;
  private address: string | null = null;
  private sent: OutgoingRequest | null = null;
  private reader: BodyReader | undefined;
  private readonly context: HopContext;

  constructor(
    private readonly request: ProbeRequest,
    private readonly tools: ProbeTools,
  ) {
    this.session = request.session ?? new ProbeSession();
    this.url = request.url;
    const { clock, resources } = this;
    this.context = {
      request,
      tools,
      clock,
      resources,
      onSeen: (seen) => {
        if ('certificate' in seen) this.certificate = seen.certificate;
        else this.address = seen.address;
      },
    };
  }

  run(): Promise<FetchOutcome> {
    return new Promise((resolve) => {
      const { timeoutMs, signal } = this.request;
      const end = (outcome: FetchOutcome): void => {
        clearTimeout(deadline);
        signal?.removeEventListener('abort', abort);
        resolve(outcome);
        this.resources.closeAll();
      };
      const abort = (): void => end({ ...inconclusive('the probe was aborted'), ...this.facts() });
      const deadline = setTimeout(() => end(this.timedOut(timeoutMs)), timeoutMs);
      signal?.addEventListener('abort', abort);
      if (signal?.aborted === true) {
        abort();
        return;
      }
      this.fetchContent().then(
        (result) => end(this.outcome(result, timeoutMs)),
        (error: unknown) => end(this.outcome(inconclusive(`the probe broke: ${String(error).slice(0, 150)}`), timeoutMs)),
      );
    });
  }

  private facts(): Pick<FetchOutcome, 'url' | 'hops' | 'phases' | 'certificate' | 'address' | 'sent'> {
    const { url, hops, certificate, address, request } = this;
    const sent = this.sent === null ? null : sentRequest(this.sent, request);
    return { url, hops, phases: this.clock.elapsed(), certificate, address, sent };
  }

  private timedOut(timeoutMs: number): FetchOutcome {
    const during = this.clock.phase;
    const facts = this.facts();
    if (facts.phases.total > timeoutMs + MAX_TIMER_DELAY_MS) return { ...TOO_BUSY, ...facts };
    if (this.reader?.isWaitingForPermit === true) return { ...TOO_MANY_LARGE_BODIES, ...facts };
    if (during === 'dns' && this.tools.guard.namesSilentSince(this.clock.startedAt))
      return { ...inconclusive('no name server answers'), ...facts };
    return { kind: 'timedOut', during, reason: `no whole answer within ${String(timeoutMs / 1000)} s: ${UNFINISHED[during]}`, ...facts };
  }

  private outcome(result: Content | ExchangeFailure, timeoutMs: number): FetchOutcome {
    const during = this.clock.phase;
    const facts = this.facts();
    // The answer was handled after the deadline, although before the delayed timer of the deadline.
    if (facts.phases.total > timeoutMs + MAX_TIMER_DELAY_MS) return { ...TOO_BUSY, ...facts };
    return result.kind === 'failed' ? { ...result, during, ...facts } : { ...result, ...facts };
  }

  private async fetchContent(): Promise<Content | ExchangeFailure> {
    const read = this.tools.guard.readUrl(this.request.url);
    if (!read.ok) return failed('target', read.reason);
    const first = read.url;
    let next = buildRequest(this.request, this.session, first, this.request.method ?? 'GET', first);
    for (;;) {
      this.url = next.url.href;
      this.sent = next;
      const head = await requestHead(next, this.context);
      if (head.kind !== 'head') return head;
      this.session.storeCookies(next.url, headersOf(head.headers, 'set-cookie'));
      if (this.mayAuthenticate(head, next.url)) {
        this.clock.enter('dns');
        next = buildRequest(this.request, this.session, next.url, next.method, first);
      } else {
        const redirect = redirectOf(head, next, this.request, this.hops.length, this.tools.guard);
        if (redirect === null) return this.readContent(head);
        if (redirect.kind === 'failed') return redirect;
        const { location, url, method } = redirect;
        this.hops.push({ url: next.url.href, status: head.status, location, to: url.href, phases: this.clock.endHop() });
        next = buildRequest(this.request, this.session, url, method, first);
      }
      this.resources.closeHop();
    }
  }

  /**
   * At most one attempt per origin: a second 401 is the answer. A nonce that an earlier request of the session used may be stale; only then a further
   * attempt is made.
   */
  private mayAuthenticate(head: ResponseHead, { origin }: URL): boolean {
    const { credentials } = this.request;
    if (head.status !== 401 || credentials === undefined || new URL(credentials.url).origin !== origin) return false;
    const challenge = readChallenge(headersOf(head.headers, 'www-authenticate'));
    if (challenge === null) return false;
    const isUsedNonceStale = isStale(challenge) && (this.session.challenges.get(origin)?.uses ?? 0) > 1;
    if (this.authenticatedOrigins.has(origin) && !isUsedNonceStale) return false;
    this.authenticatedOrigins.add(origin);
    this.session.challenges.set(origin, { challenge, uses: 0 });
    return true;
  }

  private async readContent(head: ResponseHead): Promise<Content | ExchangeFailure> {
    const { httpVersion, status, statusText, headers } = head;
    const coding = readCoding(headersOf(headers, 'content-encoding').join(','));
    if (coding.kind === 'unknown') return failed('body', coding.reason);
    this.reader = new BodyReader(this.tools.largeBodies, this.resources, this.request.source);
    const body = await this.reader.read(head.source, coding, head.isComplete);
    if (body.kind !== 'body') return body;
    return { kind: 'answered', httpVersion, status, statusText, headers, body: body.bytes, size: body.size, cut: body.cut };
  }
}

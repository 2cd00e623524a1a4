import { connect, isIP, Socket, type LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import { type AllowedAddresses, AddressRules, DENIED_PORTS } from './address-rules.ts';
import type { Family } from './name-source.ts';
import { CachedResolver } from './resolver.ts';
import { notPublic, readTargetUrl, type TargetUrl } from './target-url.ts';

export type Targets =
  | { readonly kind: 'allowed'; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'inconclusive'; readonly reason: string };

/** An address that the service does not connect to (docs/spec/decisions.md#S1). */
export class TargetRefused extends Error {
  readonly code = 'TARGET_REFUSED';
}

/** Injection token: the guard of the addresses that users give for their messages. */
export const HOOK_GUARD = Symbol('HookGuard');

/** A connection that was refused, for the log and the metrics. */
export interface RefusedTarget {
  readonly host: string;
  readonly reason: string;
  /** Not refused before within the last minute, so that the log names a host once a minute. */
  readonly isFirst: boolean;
}

export interface SsrfGuardOptions extends AllowedAddresses {
  readonly resolver?: CachedResolver;
  readonly onRefused?: (refused: RefusedTarget) => void;
}

const REPORT_AGAIN_MS = 60_000;
const MAX_REPORTED = 1_000;

/** Protects against server-side request forgery: every outgoing connection connects to an address that was checked here. */
export class SsrfGuard {
  private readonly rules: AddressRules;
  private readonly resolver: CachedResolver;
  private readonly onRefused: (refused: RefusedTarget) => void;
  private readonly reported = new LRUCache<string, true>({ max: MAX_REPORTED, ttl: REPORT_AGAIN_MS });

  constructor({ resolver = new CachedResolver(), onRefused = () => undefined, ...addresses }: SsrfGuardOptions = {}) {
    this.rules = new AddressRules(addresses);
    this.resolver = resolver;
    this.onRefused = onRefused;
  }

  /** Checks the text of a URL before its host is resolved; `base` resolves the relative URL of a page or a redirect. */
  readUrl(text: string, base?: URL): TargetUrl {
    return readTargetUrl(text, { refusal: (address) => this.refusal(address) }, base);
  }

  /** Why the address may not be connected to, or null; the whole reason is in the log only. `host`: as the user named it. */
  refusal(address: string, host = address): string | null {
    const reason = this.rules.refusal(address);
    if (reason === null) return null;
    const isFirst = !this.reported.has(host);
    if (isFirst) this.reported.set(host, true);
    this.onRefused({ host, reason, isFirst });
    return notPublic(host);
  }

  /** The addresses of a host. One forbidden address refuses the name: mixed answers are a DNS rebinding attempt. */
  async targets(host: string, family: Family = 'any'): Promise<Targets> {
    if (isIP(host) !== 0) {
      if (family === 'ipv6' && isIP(host) === 4) return { kind: 'unknown', reason: `${host} is not an IPv6 address` };
      return this.judge(host, [host]);
    }
    const resolution = await this.resolver.resolve(host, family);
    return resolution.kind === 'found' ? this.judge(host, resolution.addresses) : resolution;
  }

  /** For `net.connect`, `tls.connect` and agents. Sockets do not call it for IP addresses: see `connect` and `guardedAgents`. */
  readonly lookup: LookupFunction = (host, options, callback) => {
    const family = options.family === 6 || options.family === 'IPv6' ? 'ipv6' : 'any';
    void this.targets(host, family).then((targets) => {
      const wanted = targets.kind === 'allowed' ? ofFamily(targets.addresses, options.family) : [];
      const [first] = wanted;
      if (targets.kind !== 'allowed') callback(refusedTarget(targets), '', 0);
      else if (first === undefined) callback(new TargetRefused(`${host} has no address of this family`), '', 0);
      else if (options.all === true)
        callback(
          null,
          wanted.map((address) => ({ address, family: isIP(address) })),
        );
      else callback(null, first, isIP(first));
    });
  };

  /** A guarded plain connection, for protocols other than HTTP (mail). Fails with `TargetRefused` on the socket. */
  connect({ host, port }: { host: string; port: number }): Socket {
    const refusal =
      DENIED_PORTS.has(port) && !MAIL_PORTS.has(port)
        ? `port ${String(port)} is not allowed`
        : isIP(host) === 0
          ? null
          : this.refusal(host);
    if (refusal !== null) return failed(refusal);
    return this.watch(connect({ host, port, lookup: this.lookup }));
  }

  /** Checks the remote address once more when the socket is connected. */
  watch<S extends Socket>(socket: S): S {
    return socket.once('connect', () => {
      const refusal = socket.remoteAddress === undefined ? null : this.refusal(socket.remoteAddress, 'the server');
      if (refusal !== null) socket.destroy(new TargetRefused(refusal));
    });
  }

  /** No name server has answered since then (`performance.now()`): the cause is on our side, not the site's. */
  namesSilentSince(since: number): boolean {
    return this.resolver.silentSince(since);
  }

  private judge(host: string, addresses: readonly string[]): Targets {
    for (const address of addresses) {
      const refusal = this.refusal(address, host);
      if (refusal !== null) return { kind: 'refused', reason: refusal };
    }
    return { kind: 'allowed', addresses };
  }
}

const ofFamily = (addresses: readonly string[], family: unknown): readonly string[] =>
  family === 4 || family === 'IPv4' ? addresses.filter((address) => isIP(address) === 4) : addresses;

const MAIL_PORTS = new Set([25, 465, 587, 2525]);

const refusedTarget = ({ kind, reason }: Exclude<Targets, { kind: 'allowed' }>): NodeJS.ErrnoException =>
  kind === 'refused'
    ? new TargetRefused(reason)
    : Object.assign(new Error(reason), { code: kind === 'inconclusive' ? 'EAI_AGAIN' : 'ENOTFOUND' });

const failed = (reason: string): Socket => new Socket().destroy(new TargetRefused(reason));

/** For endpoints that the operator configured, which are trusted like the address of the database. */
export const operatorGuard = (): SsrfGuard => new SsrfGuard({ allowed: ['0.0.0.0/0', '::/0'] });

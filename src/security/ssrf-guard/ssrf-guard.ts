import { connect, isIP, Socket, type LookupFunction } from 'node:net';
import { AddressRules } from './address-rules.ts';
import { DENIED_PORTS } from './denied-ports.ts';
import type { Family } from './name-source.ts';
import { CachedResolver } from './resolver.ts';
import { readTargetUrl, type TargetUrl } from './target-url.ts';

export type Targets =
  | { readonly kind: 'allowed'; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'inconclusive'; readonly reason: string };

/** An address that the service does not connect to (docs/spec/decisions.md#S1). */
export class TargetRefused extends Error {
  readonly code = 'TARGET_REFUSED';
}

export interface SsrfGuardOptions {
  /** ALLOW_TARGETS: ranges that may be connected to although they are not public. */
  readonly allowed?: readonly string[];
  readonly resolver?: CachedResolver;
}

/** Protects against server-side request forgery: every outgoing connection connects to an address that was checked here. */
export class SsrfGuard {
  private readonly rules: AddressRules;
  private readonly resolver: CachedResolver;

  constructor({ allowed = [], resolver = new CachedResolver() }: SsrfGuardOptions = {}) {
    this.rules = new AddressRules(allowed);
    this.resolver = resolver;
  }

  /** Checks the text of a URL before its host is resolved; `base` resolves the relative URL of a page or a redirect. */
  readUrl(text: string, base?: URL): TargetUrl {
    return readTargetUrl(text, this.rules, base);
  }

  refusal(address: string): string | null {
    return this.rules.refusal(address);
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
      const refusal = socket.remoteAddress === undefined ? null : this.refusal(socket.remoteAddress);
      if (refusal !== null) socket.destroy(new TargetRefused(refusal));
    });
  }

  /** No name server has answered since then (`performance.now()`): the cause is on our side, not the site's. */
  namesSilentSince(since: number): boolean {
    return this.resolver.silentSince(since);
  }

  private judge(host: string, addresses: readonly string[]): Targets {
    for (const address of addresses) {
      const refusal = this.refusal(address);
      if (refusal !== null)
        return { kind: 'refused', reason: isIP(host) === 0 ? `${host} leads to a forbidden address: ${refusal}` : refusal };
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

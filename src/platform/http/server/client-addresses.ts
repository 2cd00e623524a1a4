import { networkMatcher, networkOf } from '../../security/networks.ts';

/** The names of networks that `TRUST_PROXY` accepts beside CIDRs. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether a connection comes from a proxy of `TRUST_PROXY`. */
export const proxyMatcher = (trusted: readonly string[]): ((address: string) => boolean) =>
  networkMatcher(trusted.flatMap((entry) => NAMED[entry] ?? [entry]));

/** How much each client holds at the moment, by its network. */
export class HeldByNetwork {
  private readonly counts = new Map<string, number>();
  private sum = 0;

  get total(): number {
    return this.sum;
  }

  /** Answers how to give it back, or null when the network holds `most` already. */
  take(address: string, most: number): (() => void) | null {
    const network = networkOf(address);
    const held = this.counts.get(network) ?? 0;
    if (held >= most) return null;
    this.counts.set(network, held + 1);
    this.sum++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.sum--;
      const left = (this.counts.get(network) ?? 1) - 1;
      if (left === 0) this.counts.delete(network);
      else this.counts.set(network, left);
    };
  }
}

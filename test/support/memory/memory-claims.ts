import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { type Claim, CLAIM_SECONDS, type Claims } from '../../../src/platform/postgres/claims.ts';

interface Taken {
  readonly holder: string;
  expires: number | null;
}

export class MemoryClaims implements Claims {
  private readonly kinds = new Map<string, Map<string, Taken>>();
  private readonly lastSlots = new Map<string, number>();
  private readonly given = new Map<string, string[]>();

  constructor(private readonly clock: Clock = systemClock) {}

  claim(kind: string, key: string, holder: string, seconds = CLAIM_SECONDS): Promise<boolean> {
    const taken = this.of(kind).get(key);
    if (taken !== undefined && taken.holder !== holder) return Promise.resolve(false);
    const expires = taken?.expires === null ? null : this.clock.now() + seconds * 1_000;
    this.of(kind).set(key, { holder, expires });
    return Promise.resolve(true);
  }

  async claimSlot(kind: string, owner: string, max: number | null, holder: string, seconds = CLAIM_SECONDS): Promise<string | null> {
    const claims = this.of(kind);
    const own = [...claims].find(([key, taken]) => key.startsWith(`${owner}/`) && taken.holder === holder)?.[0];
    const counter = `${kind} ${owner}`;
    const slot = (this.lastSlots.get(counter) ?? 0) + 1;
    const key = own ?? `${owner}/${String(slot)}`;
    const taken = [...claims.keys()].filter((name) => name.startsWith(`${owner}/`)).length;
    if (own === undefined && max !== null && taken >= max) return null;
    if (own === undefined) this.lastSlots.set(counter, slot);
    await this.claim(kind, key, holder, seconds);
    return key;
  }

  slotsTaken(kind: string, owner: string): Promise<number> {
    return Promise.resolve([...this.of(kind).keys()].filter((name) => name.startsWith(`${owner}/`)).length);
  }

  claimNext(kind: string, holder: string): Promise<number> {
    const given = this.given.get(kind) ?? [];
    this.given.set(kind, given);
    if (!given.includes(holder)) given.push(holder);
    return Promise.resolve(given.indexOf(holder) + 1);
  }

  keep(kind: string, key: string, holder: string): Promise<boolean> {
    const taken = this.of(kind).get(key);
    if (taken?.holder !== holder) return Promise.resolve(false);
    taken.expires = null;
    return Promise.resolve(true);
  }

  release(kind: string, key: string, holder: string): Promise<void> {
    if (this.of(kind).get(key)?.holder === holder) this.of(kind).delete(key);
    return Promise.resolve();
  }

  async releaseAll(kind: string, holder: string): Promise<void> {
    for (const key of [...this.of(kind).keys()]) await this.release(kind, key, holder);
  }

  holderOf(kind: string, key: string): Promise<string | null> {
    return Promise.resolve(this.of(kind).get(key)?.holder ?? null);
  }

  expired(limit: number): Promise<readonly Claim[]> {
    const all = [...this.kinds].flatMap(([kind, claims]) =>
      [...claims].map(([key, { holder, expires }]) => ({ kind, key, holder, expires })),
    );
    const over = all.filter(({ expires }) => this.isOver(expires)).slice(0, limit);
    return Promise.resolve(over.map(({ kind, key, holder }) => ({ kind, key, holder })));
  }

  async free({ kind, key, holder }: Claim): Promise<void> {
    if (this.isOver(this.of(kind).get(key)?.expires ?? null)) await this.release(kind, key, holder);
  }

  private isOver(expires: number | null): boolean {
    return expires !== null && expires < this.clock.now();
  }

  private of(kind: string): Map<string, Taken> {
    const claims = this.kinds.get(kind) ?? new Map<string, Taken>();
    this.kinds.set(kind, claims);
    return claims;
  }
}

import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { TokenScope } from '../token-scopes.ts';
import { ScopeUses } from '../tokens/scope-uses.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { requireScopes } from './scopes.ts';

/** Asks for the scopes of what a request does, and records those that it needed, whether or not its token is narrowed (docs/spec/beyond.md#B23). */
@Injectable()
export class ScopeCheck implements BeforeApplicationShutdown {
  constructor(private readonly uses: ScopeUses) {}

  /** Beyond the scope of the route. */
  require(caller: Principal, scopes: readonly TokenScope[]): void {
    requireScopes(caller, scopes);
    this.record(caller, scopes);
  }

  record({ kind, tokenId }: Principal, scopes: readonly TokenScope[]): void {
    if (kind !== 'user') for (const scope of scopes) this.uses.record(tokenId, scope);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.uses.flush();
  }
}

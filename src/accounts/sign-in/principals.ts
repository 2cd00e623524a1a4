import { Inject, Injectable } from '@nestjs/common';
import type { SealedLimits, TokenLimits } from '../token-scopes.ts';
import { INSTALLATION_PLAN } from '../plan.ts';
import { isSystemRole, serviceNumber } from '../rights/roles.ts';
import { CachedReads } from '../../kernel/cached.ts';
import { accountView } from '../account.view.ts';
import type { Command } from '@nestjs/cqrs';
import { ProjectDirectory } from '../rights/project-directory.ts';
import { RevokeToken } from '../tokens/token.commands.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { type Views, ViewsAt } from '../../platform/read-models/views/views.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { networkMatcher } from '../../platform/security/networks.ts';
import { AccountChanges } from '../tokens/account-changes.ts';
import { TokenStore } from '../tokens/token-store.ts';
import type { Principal, PrincipalLimits } from '../../platform/http/context/principal.ts';
import { scopesOfService } from '../rights/scopes.ts';

/** A revocation on any instance takes effect here within a second, counted from before the read. */
const CACHE_MS = 900;
const MAX_CACHED = 10_000;

/** The principal of a token, as of at most a second ago; a request within that time needs no query. */
@Injectable()
export class Principals {
  private readonly cache = new CachedReads<Principal | null>(MAX_CACHED, CACHE_MS);

  constructor(
    private readonly tokens: TokenStore,
    private readonly views: ViewsAt,
    private readonly changes: AccountChanges,
    @Inject(Keyring) private readonly keyring: Pick<Keyring, 'open'>,
    private readonly projects: ProjectDirectory,
  ) {}

  /** Answers null when the token was revoked or its account erased. */
  load(tokenId: string, userId: number): Promise<Principal | null> {
    // The key contains both: the answer for a token with another account must not stand for the one of its owner.
    const key = `${tokenId} ${String(userId)}`;
    if (!this.changes.isSettled(userId)) {
      this.cache.forget(key);
      return this.read(tokenId, userId);
    }
    return this.cache.get(key, () => this.read(tokenId, userId));
  }

  /** The command that ends the token of a request, of any kind. */
  signOut(context: CommandContext, { userId, tokenId, service }: Principal): Command<void> {
    return service === undefined ? new RevokeToken(context, { userId, tokenId }) : this.projects.signOut(context, service, tokenId);
  }

  private async read(tokenId: string, userId: number): Promise<Principal | null> {
    if (userId < 0) return this.readService(tokenId, userId);
    const [token, account] = await Promise.all([this.tokens.use(tokenId), this.views.now().get(accountView, String(userId))]);
    if (token === null || account === null || token.userId !== userId) return null;
    // A revocation is an event; the token's row may outlive it by a crash (docs/decisions/beside-the-log.md).
    const personal = token.kind === 'login' ? null : account.personalTokens.find((known) => known.tokenId === tokenId);
    if (personal === undefined) return null;
    const kind = token.kind === 'login' ? 'user' : 'token';
    const signedInAt = token.confirmedAt?.getTime() ?? null;
    const hasFactor = account.secondFactors.length > 0 || token.secondFactor === 'provider';
    const { confirmed, plan, systemRole } = account;
    const limits = personal === null ? null : limitedBy(await this.limitsOf(personal));
    const { isSession } = token;
    return { userId, tokenId, kind, isSession, signedInAt, confirmed, hasFactor, plan, systemRole, limits };
  }

  /** The event ends a token of a service account, too, and so does the end of the account, of its project or of the project's owner. */
  private async readService(tokenId: string, userId: number): Promise<Principal | null> {
    const stored = await this.tokens.use(tokenId);
    if (stored?.kind !== 'service') return null;
    const { projectId } = stored;
    const views = this.views.now();
    const [accounts, payer] = await Promise.all([
      this.projects.serviceAccounts(views, projectId),
      projectId === null ? { payerId: userId, plan: INSTALLATION_PLAN } : this.payerOf(views, projectId),
    ]);
    const account = accounts.find(({ id, tokens }) => serviceNumber(id) === userId && tokens.some((one) => one.tokenId === tokenId));
    const token = account?.tokens.find((one) => one.tokenId === tokenId);
    if (account === undefined || token === undefined || payer === null) return null;
    const { id, name, role } = account;
    const limits = await this.limitsOf({ ...token, projects: projectId === null ? null : [projectId] });
    const ofRole = scopesOfService(role).filter((scope) => limits.scopes?.has(scope) ?? true);
    const [roleInProject, systemRole] = isSystemRole(role) ? [null, role] : [role, null];
    return {
      userId,
      tokenId,
      kind: 'service',
      service: { id, name, projectId, role: roleInProject, payerId: payer.payerId },
      signedInAt: null,
      // It has neither an address nor a password to confirm.
      confirmed: true,
      hasFactor: true,
      plan: payer.plan,
      systemRole,
      limits: { ...limits, scopes: new Set(ofRole) },
    };
  }

  /** The owner of a project, with the plan; null when the project, or the account of its owner, has ended. */
  private async payerOf(views: Views, projectId: string): Promise<{ readonly payerId: number; readonly plan: string } | null> {
    const payerId = (await this.projects.get(views, projectId))?.payerId;
    const payer = payerId === undefined ? null : await views.get(accountView, String(payerId));
    return payerId === undefined || payer === null ? null : { payerId, plan: payer.plan };
  }

  private async limitsOf(token: SealedLimits): Promise<PrincipalLimits> {
    const { scopes, projects, addresses } = await openTokenLimits(this.keyring, token);
    return {
      scopes: scopes && new Set(scopes),
      projects: projects && new Set(projects),
      addresses: addresses && { networks: addresses, include: networkMatcher(addresses) },
    };
  }
}

/** Answers null when nothing limits the token. */
const limitedBy = (limits: PrincipalLimits): PrincipalLimits | null =>
  limits.scopes === null && limits.projects === null && limits.addresses === null ? null : limits;

/** The limits of a token in the clear. Fails closed: addresses that cannot be read are none. */
export async function openTokenLimits(keyring: Pick<Keyring, 'open'>, { scopes, projects, addresses }: SealedLimits): Promise<TokenLimits> {
  const opened = addresses === null ? null : await keyring.open(addresses);
  const networks = addresses === null ? null : (JSON.parse(opened ?? '[]') as readonly string[]); // as `IssueToken` sealed them
  return { scopes, projects, addresses: networks };
}

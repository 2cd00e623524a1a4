import { Injectable } from '@nestjs/common';
import { isProjectScope, isTokenScope, type TokenLimits, tokenScopes } from './token-scopes.ts';
import { type InputProblem, InvalidInput } from '../kernel/errors.ts';
import { isWithin, readNetwork } from '../platform/security/networks.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { TokenTooWide } from '../platform/http/errors/refusals.ts';
import { ProjectDirectory } from './rights/project-directory.ts';
import { accessOf, mayUse } from './rights/project-rights.ts';
import { ScopeCheck } from './tokens/token-uses.ts';
import type { ServiceRole } from './rights/roles.ts';
import { coversProject, scopesOfService } from './rights/scopes.ts';
import type { CreateTokenDto } from './token.api.ts';
import { readExpiry } from './sign-in/expiry.ts';
import type { TokenClaims } from './sign-in/token-signer.ts';
import { inUtc } from '../platform/http/presentation/answers.ts';

/** What a new token is narrowed to (docs/spec/beyond.md#B23): as asked for, and never wider than the token that makes it. */
@Injectable()
export class TokenNarrowing {
  constructor(
    private readonly views: ViewsAt,
    private readonly check: ScopeCheck,
    private readonly projects: ProjectDirectory,
  ) {}

  async limitsOf(caller: Principal, { scopes = null, projects = null, addresses = null }: CreateTokenDto): Promise<TokenLimits> {
    if (projects !== null) await this.requireReadable(caller, projects);
    const notOfProjects = projects === null ? undefined : scopes?.find((scope) => !isProjectScope(scope));
    if (notOfProjects !== undefined)
      throw new InvalidInput(`scopes: "${notOfProjects}" is not about a project; leave it out, or leave out \`projects\``);
    const own = caller.limits;
    if (scopes !== null || own === null) this.check.require(caller, scopes ?? tokenScopes);
    return {
      scopes: unique(scopes ?? (own?.scopes ? [...own.scopes].filter(isTokenScope) : null)),
      projects: unique(projects ?? (own?.projects ? [...own.projects] : null)),
      addresses: unique(networksOf(addresses, own?.addresses?.networks ?? null)),
    };
  }

  /** The limits of a service account's token. A narrowed caller makes none that widens when the account gets another role. */
  limitsOfService(
    caller: Principal,
    role: ServiceRole,
    { scopes = null, addresses = null }: Pick<CreateTokenDto, 'scopes' | 'addresses'>,
  ): Omit<TokenLimits, 'projects'> {
    const ofRole = scopesOfService(role);
    const beyond = scopes?.find((scope) => !ofRole.includes(scope));
    if (beyond !== undefined)
      throw new InvalidInput(`scopes: "${beyond}" is not a scope of a service account with role ${role}; it has ${ofRole.join(', ')}`);
    this.check.require(caller, scopes ?? ofRole);
    const own = caller.limits;
    return {
      scopes: unique(scopes ?? (own === null ? null : ofRole)),
      addresses: unique(networksOf(addresses, own?.addresses?.networks ?? null)),
    };
  }

  /** The same refusal for a project of others and for an unknown one (docs/spec/decisions.md#G6). */
  private async requireReadable(caller: Principal, projects: readonly string[]): Promise<void> {
    const rows = await this.projects.many(this.views.now(), projects);
    const problems = projects.flatMap((id, index): readonly InputProblem[] => {
      const row = rows.get(id);
      if (row !== undefined && coversProject(caller, id) && mayUse(accessOf(id, row, caller), 'read', caller)) return [];
      const param = `projects.${String(index)}`;
      return [{ message: `${param}: is not the id of a project that you may read`, param }];
    });
    if (problems.length > 0) throw new InvalidInput(problems);
  }
}

const unique = <T>(list: readonly T[] | null): readonly T[] | null => list && [...new Set(list)];

/** The networks that are asked for, else those of the token that makes this one. */
function networksOf(wanted: readonly string[] | null, own: readonly string[] | null): readonly string[] | null {
  const networks = wanted?.map((text) => readNetwork(text) ?? text) ?? null;
  if (networks === null || own === null) return networks ?? own;
  const outside = networks.find((network) => !isWithin(network, own));
  if (outside !== undefined) throw new TokenTooWide(`addresses: ${outside} is not within the networks of this token: ${own.join(', ')}`);
  return networks;
}

const DEFAULT_EXPIRY = '+1 year';

/** By default a token that a narrowed one makes ends with it. */
export function expiryOfToken({ exp }: { readonly exp?: string | null }, { limits }: Principal, claims: TokenClaims, now: number): Date {
  const end = limits === null ? null : claims.exp * 1_000;
  if (end !== null && (exp ?? null) === null) return new Date(end);
  const expiry = readExpiry(exp ?? DEFAULT_EXPIRY, now);
  if ('problem' in expiry) throw new InvalidInput(`exp: ${expiry.problem}`);
  if (end !== null && expiry.at > end) throw new TokenTooWide(`exp: must not be later than the end of this token, ${inUtc(end)}`);
  return new Date(expiry.at);
}

import type { Command } from '@nestjs/cqrs';
import type { CommandContext } from '../../platform/commands/context.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { Carrier } from '../../platform/http/context/request-slot.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import type { SealedLimits } from '../token-scopes.ts';
import type { ProjectMembers } from './project-rights.ts';
import type { ServiceRole } from './roles.ts';

/** A request, as far as it names a project: `/project/:id/…`, `/test/:id`, `/area/:id`, or the query of `POST /test`. */
export interface RoutedRequest {
  readonly route: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
}

export interface ReadProject {
  readonly row: ProjectMembers;
  readonly facts?: unknown;
}

/** A service account, as far as it says what a caller with one of its tokens may do. */
export interface ActingAccount {
  readonly id: string;
  readonly name: string;
  readonly role: ServiceRole;
  readonly tokens: readonly (Omit<SealedLimits, 'projects'> & { readonly tokenId: string })[];
}

/** Port: the projects on which rights are decided, and the service accounts in them. */
export abstract class ProjectDirectory {
  /** The id of the project that a request names, null when it names none. The row of a check or area that was read on the way is kept for the handler. */
  abstract idOf(routed: RoutedRequest, views: Views, request: Carrier): Promise<string | null>;
  abstract get(views: Views, id: string): Promise<ProjectMembers | null>;
  /** `withFacts` reads the facts in the same round trip, because the answer contains them. */
  abstract read(views: Views, id: string, withFacts: boolean): Promise<ReadProject | null>;
  abstract many(views: Views, ids: readonly string[]): Promise<ReadonlyMap<string, ProjectMembers>>;
  /** The service accounts of a project, or of the installation when `projectId` is null. */
  abstract serviceAccounts(views: Views, projectId: string | null): Promise<readonly ActingAccount[]>;
  /** The command that ends a token of a service account. */
  abstract signOut(context: CommandContext, service: NonNullable<Principal['service']>, tokenId: string): Command<void>;
}

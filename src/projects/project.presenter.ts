import type { ProjectRow } from './project.view.ts';
import { inUtc } from '../platform/http/presentation/answers.ts';
import type { Views } from '../platform/read-models/views/views.ts';
import type { ProjectStatus } from './standing.view.ts';
import type { ProjectAnswer } from './project.api.ts';
import { fieldsOf } from './writable-settings.dto.ts';

type CertificateField = 'sslStatus' | 'sslExpiration' | 'sslDaysLeft' | 'sslError';
type RedirectField = 'httpsRedirectStatus' | 'httpsRedirectFinalUrl' | 'httpsRedirectCheckedAt';

/** What the read models hold of a project, besides its row. */
export interface KnownFacts {
  readonly status: ProjectStatus;
}

/** What the service found out about a project, as its answer shows it. */
export interface ProjectFacts extends KnownFacts {
  readonly certificate: Pick<ProjectAnswer, CertificateField>;
  readonly redirect: Pick<ProjectAnswer, RedirectField>;
}

/** Port: what the watches found out about projects. */
export abstract class ProjectFindings {
  /** A project and its facts in one round trip: the most frequent read of the service. */
  abstract known(views: Views, id: string): Promise<{ readonly row: ProjectRow; readonly facts: KnownFacts } | null>;
  /** Adds what was inspected since to the known facts. */
  abstract of(row: ProjectRow, known: KnownFacts, now: number): Promise<ProjectFacts>;
  /** The facts of several projects; a project whose facts are parked is left out. */
  abstract ofAll(views: Views, rows: readonly ProjectRow[], now: number): Promise<ReadonlyMap<string, ProjectFacts>>;
}

export interface Presented {
  readonly id: string;
  readonly row: ProjectRow;
  readonly facts: ProjectFacts;
  /** Empty for callers who may not see it. */
  readonly apiKey: string;
}

/** docs/spec/interface.md#project. */
export function presentProject({ id, row, facts, apiKey }: Presented): ProjectAnswer {
  const { settings } = row;
  return {
    id,
    url: settings.url,
    ...fieldsOf(settings),
    uptimeUrl: uptimeUrlOf(row),
    apiKey,
    payerId: row.payerId,
    created: inUtc(row.createdAt),
    userIds: row.members.map((member) => member.userId),
    status: facts.status,
    ...facts.certificate,
    ...facts.redirect,
    isWordPress: row.isWordPress,
  };
}

/** The project's url unless another was set. */
export const uptimeUrlOf = (row: ProjectRow): string => (row.settings.uptimeUrl === '' ? row.settings.url : row.settings.uptimeUrl);

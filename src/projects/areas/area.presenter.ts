import { emptyForm } from './area.settings.ts';
import type { AreaRow } from './area.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import type { ProjectRow } from '../project.view.ts';
import { MASK } from '../../kernel/text.ts';
import type { AreaAnswer } from './area.api.ts';

/** What the service found out about an area. */
export interface AreaFacts {
  /** The failure of the area's own rules or sign-in as a sentence; null when none failed. */
  readonly failure: string | null;
  /** Seconds; 0 without a schedule. */
  readonly periodInt: number;
  /** Seconds; negative when no further run is scheduled. */
  readonly nextRun: number;
}

/** Port: what the checker found out about areas. */
export abstract class AreaFindings {
  /** Before the rows of areas are read: they, and what is read with them. */
  abstract prefetch(views: Views, projectId: string): void;
  abstract read(rows: readonly AreaRow[], project: ProjectRow, now: number): Promise<ReadonlyMap<string, AreaFacts>>;
}

/** docs/spec/interface.md#area-group-of-checks. Secrets are masked; a value that is not set is an object with empty fields. */
export function presentArea(row: AreaRow, headers: string, html: string, facts: AreaFacts): AreaAnswer {
  const { id, projectId, settings } = row;
  const foundChecksum = row.foundChecksum ?? row.firstChecksum;
  const { keptHtml: _, ...form } = settings.form ?? emptyForm;
  return {
    id,
    projectId,
    name: settings.name,
    public: settings.public,
    rules: settings.rules,
    form: { ...form, html, params: form.params === null ? '' : MASK },
    ...(foundChecksum === null ? {} : { foundChecksum }),
    httpAuth: { user: settings.httpAuth?.user ?? '', password: '', url: settings.httpAuth?.url ?? '' },
    period: settings.period,
    ...(facts.failure === null ? {} : { result: { prop: facts.failure } }),
    options: { w: headers },
    nextRun: facts.nextRun,
    periodInt: facts.periodInt,
  };
}

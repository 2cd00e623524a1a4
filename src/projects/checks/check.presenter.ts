import type { CheckOptions } from './check.settings.ts';
import type { RunResponse } from '../../platform/observations/runs/run-response.ts';
import type { CheckRow } from './check.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import type { ProjectRow } from '../project.view.ts';
import { MASK } from '../../kernel/text.ts';
import type { TestAnswer } from './check.api.ts';

/** What the service found out about a check. */
export interface CheckFacts {
  readonly running: boolean;
  readonly status: 'ok' | 'error' | 'timeout' | 'unknown';
  readonly failures: readonly string[];
  readonly lastRun: number;
  readonly lastChange: number;
  readonly response: RunResponse;
  readonly requestUrl: string;
}

/** Checks at one position of the read models. */
export interface KnownChecks {
  readonly rows: readonly CheckRow[];
}

/** Port: what the checker found out about checks. */
export abstract class CheckFindings {
  /** Before the rows of checks are read: what `known` reads after them. */
  abstract prefetch(views: Views, projectId: string): void;
  /** `views`: of a snapshot, with that of the rows. */
  abstract known(views: Views, projectId: string, rows: readonly CheckRow[]): Promise<KnownChecks>;
  /** Read after the snapshot, so that no verdict is newer than the run that is shown with it. */
  abstract withRuns(project: ProjectRow, known: KnownChecks): Promise<ReadonlyMap<string, CheckFacts>>;
}

/** Left out where it was never set, so that older clients see the options that they know. */
const sentWith = ({
  method,
  contentType,
  body,
  extract,
  uses,
}: CheckOptions): Partial<Pick<TestAnswer['options'], 'method' | 'contentType' | 'body' | 'extract' | 'uses'>> => ({
  ...(method !== undefined && { method }),
  ...(contentType !== undefined && { contentType }),
  ...(body !== undefined && { body: body === null ? '' : MASK }),
  ...(extract !== undefined && { extract }),
  ...(uses !== undefined && { uses }),
});

/** docs/spec/interface.md#test-check. */
export function presentCheck({ id, areaId, settings, skipped = null }: CheckRow, headers: string, facts: CheckFacts): TestAnswer {
  const { options, rules, template } = settings;
  return {
    id,
    enabled: settings.enabled,
    areaId,
    name: settings.name,
    url: settings.url,
    notice: settings.notice,
    type: settings.type,
    run: facts.running ? 'running' : 'completed',
    flags: [],
    rules,
    status: {
      status: settings.enabled ? facts.status : 'unknown',
      failures: settings.enabled ? facts.failures : [],
      rules,
      response: facts.response,
      lastRun: facts.lastRun,
      lastChange: facts.lastChange,
      request: { url: facts.requestUrl, method: options.method ?? 'GET' },
      ...(settings.enabled && skipped !== null && { skipped }),
    },
    templateId: template.id,
    templateVars: template.vars,
    options: { '2': options['2'], '6': options['6'], g: options.g, l: options.l, w: headers, ...sentWith(options) },
  };
}

import { Inject, Injectable } from '@nestjs/common';
import type { RuleCondition } from '../checker/rules/rule.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import type { SiteState } from './site.ts';
import { same } from '../kernel/change.ts';
import { TrialService } from '../checker/trial/trial.service.ts';
import type { PlannedSite } from './planned-site.ts';
import type { RuleHistoryAnswer } from './site-files.api.ts';
import { DAY_MS } from '../kernel/time.ts';

/** Each reads the kept pages of its check. */
const MOST_CHECKS = 20;
const MOST_STRETCHES = 10;

/** What the changed rules of a plan would have said in the past, over kept pages (docs/spec/beyond.md#B10). */
@Injectable()
export class RuleHistory {
  constructor(
    private readonly trials: TrialService,
    @Inject(CONFIG) private readonly config: Pick<Config, 'retentionDays'>,
  ) {}

  async of({ projectId, access, before, decision: { after } }: PlannedSite, days: number): Promise<readonly RuleHistoryAnswer[]> {
    const [project] = after;
    if (access === null || project.kind !== 'open') return [];
    const to = Date.now();
    const span = { from: to - days * DAY_MS, to, keptFrom: to - (this.config.retentionDays + 1) * DAY_MS };
    const found: RuleHistoryAnswer[] = [];
    for (const [checkId, { settings }] of after[1].checks) {
      const [former, wanted] = [rulesOf(before, checkId), rulesOf(after, checkId)];
      if (former === null || wanted === null || same(former, wanted)) continue;
      if (found.length === MOST_CHECKS) break;
      const { runs, judged, changed, uptime, verdicts } = await this.trials.whatIf({
        projectId,
        account: project.payerId,
        checkId,
        type: settings.type,
        rules: wanted,
        defaultErrors: project.settings.checkDefaultErrors,
        ...span,
      });
      const stretches = (isWanted: (verdict: (typeof verdicts)[number]) => boolean): RuleHistoryAnswer['newFailures'] =>
        verdicts.filter(isWanted).slice(0, MOST_STRETCHES);
      found.push({
        checkId,
        name: settings.name,
        runs,
        judged,
        changed,
        uptime,
        newFailures: stretches((verdict) => verdict.old === 'ok' && verdict.new !== 'ok'),
        goneFailures: stretches((verdict) => verdict.old !== 'ok' && verdict.new === 'ok'),
      });
    }
    return found;
  }
}

/** Those of its group first; null: there is no such check. */
function rulesOf([, { areas, checks }]: SiteState, checkId: string): readonly RuleCondition[] | null {
  const check = checks.get(checkId);
  if (check === undefined) return null;
  // Cast: rules of groups have types as those of checks have.
  return [...(areas.get(check.areaId)?.rules ?? []).flat(), ...check.settings.rules] as readonly RuleCondition[];
}

import { systemContext } from '../../commands/context.ts';
import { InspectHomepage } from '../../commands/project.commands.ts';
import { derivedId } from '../../kernel/ids.ts';
import { phaseOf } from '../../kernel/recurrence.ts';
import type { Carry, Checker } from '../checker.ts';
import { homepageLinks, isWordPress } from '../page/homepage.ts';
import { Page } from '../page/page.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import { headerValue } from '../rules/stored-answer.ts';
import { keyOf } from '../schedule/conductor.ts';
import type { Recurring } from '../schedule/timetable.ts';
import { LOOK, lookAgainSoon, lookAt, type LookOptions } from './look.ts';

export const HOMEPAGE = 'homepage';

const AGAIN_MS = 3_600_000;

/** Until it was seen once: a homepage that cannot be fetched is tried again every hour. */
export function turnsOfHomepage({ project }: ProjectPlan): readonly Recurring[] {
  if (project.isWordPress !== null) return [];
  return [{ key: keyOf(HOMEPAGE, project.id, LOOK), periodMs: AGAIN_MS, phaseMs: phaseOf(`homepage ${project.id}`, AGAIN_MS) }];
}

/** Looks at the homepage once, for what it is made with and the pages that a preset project checks (docs/spec/decisions.md#P2 and #P10). */
export class HomepageLook {
  constructor(private readonly options: LookOptions) {}

  carry(checker: Checker): Carry {
    return async ({ projectId }, lease) => {
      const plan = checker.plans.plan.get(projectId);
      if (plan?.project.isWordPress !== null) return;
      const { commands, clock } = this.options;
      const { url, userAgent, timeout, location } = plan.project.settings;
      const outcome = await lookAt(this.options, { url, userAgent, timeoutMs: timeout * 1000, signal: lease.signal });
      if (outcome === null) lookAgainSoon(checker, HOMEPAGE, projectId, clock);
      if (outcome?.kind !== 'answered' || outcome.status >= 400 || lease.signal.aborted) return;
      const page = new Page({ body: outcome.body, contentType: headerValue(outcome, 'content-type') ?? '', cut: outcome.cut });
      const links = page.isMarkup ? homepageLinks(page.html, outcome.url) : [];
      const context = systemContext({ kind: 'checker', id: location }, clock.now(), {
        commandId: derivedId('homepage', projectId, url),
        repeat: false,
      });
      await commands.execute(new InspectHomepage(context, projectId, url, isWordPress(page.html, headerValue(outcome, 'link')), links));
    };
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PreconditionFailed } from '../platform/commands/precondition.ts';
import { ChangeStatusPage, CreateStatusPage } from '../status-pages/status-page.commands.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { PlanStale } from './site.decider.ts';
import { projectsOf } from '../status-pages/status-page.settings.ts';
import { SlugTaken } from '../status-pages/status-page.decider.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { derivedId } from '../kernel/ids.ts';
import { payerOf, type Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import type { ItemReference } from './status-page-items.ts';
import type { PlannedStatusPage } from './status-page-planner.ts';
import { statusPageRowTag } from '../status-pages/status-page.view.ts';

/** Carries out plans of status pages. */
@Injectable()
export class StatusPageApplier {
  constructor(
    private readonly commands: CommandBus,
    @Inject(CONFIG) private readonly config: Pick<Config, 'maxStatusPages'>,
  ) {}

  /** Refuses unless this is the plan that `token` names. Answers the id of the page. */
  async apply(
    caller: Principal,
    context: RequestContext,
    { file, page, row, settings, password, missing, changes, token: planned }: PlannedStatusPage,
    token: string | undefined,
    commit?: string,
  ): Promise<{ readonly result: 'applied' | 'unchanged'; readonly pageId: string }> {
    if (settings === null)
      throw new InvalidInput(missing.map((reference) => ({ param: 'statusPage.groups', message: messageOf(reference) })));
    if (row !== null && changes.length === 0) return { result: 'unchanged', pageId: row.pageId };
    const stale = new PlanStale(`status page "${page.slug}"`);
    if (token !== planned) throw stale;
    const applying = {
      ...context,
      commandId: derivedId('status-page', context.commandId, page.slug),
      apply: { plan: planned, ...(commit === undefined ? {} : { commit }), files: [file] },
    };
    try {
      if (row === null) {
        const command = new CreateStatusPage(applying, {
          by: payerOf(caller),
          settings,
          password: password ?? null,
          most: this.config.maxStatusPages,
        });
        return { result: 'applied', pageId: await this.commands.execute(command) };
      }
      const precondition = { tags: [statusPageRowTag(row)] };
      const editable = new Set(projectsOf(row.settings));
      await this.commands.execute(
        new ChangeStatusPage({ ...applying, precondition }, { pageId: row.pageId, by: payerOf(caller), settings, password, editable }),
      );
      return { result: 'applied', pageId: row.pageId };
    } catch (error) {
      // Another apply was faster.
      throw error instanceof PreconditionFailed || error instanceof SlugTaken ? stale : error;
    }
  }
}

function messageOf({ project, group, check }: ItemReference): string {
  const what = group === undefined ? (check === undefined ? '' : ` with the check "${check}"`) : ` with the group "${group}"`;
  return `statusPage.groups: there is no project "${project}"${what} that you may read, or several have the name`;
}

import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApplySite } from './site.commands.ts';
import { PlanStale, type SiteDecision } from './site.decider.ts';
import type { SiteState } from './site.ts';
import { projectStream } from '../kernel/stream-names.ts';
import { derivedId } from '../kernel/ids.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { FormHtml, keptHtmlOf } from '../projects/areas/form-html.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { appendPartOf, isRestOf, type PlannedSite } from './planned-site.ts';
import { sealSecrets } from './site-input.ts';
import { SiteMembers } from './site-members.ts';

/** Carries out plans. */
@Injectable()
export class SiteApplier {
  constructor(
    private readonly commands: CommandBus,
    private readonly keyring: Keyring,
    private readonly html: FormHtml,
    private readonly members: SiteMembers,
  ) {}

  /**
   * Refuses unless this is the plan that `token` names, or what an interrupted apply has left of it. A plan that changes nothing was carried out before, or
   * has become needless.
   */
  async apply(
    caller: Principal,
    context: RequestContext,
    plan: PlannedSite,
    token: string | undefined,
    commit?: string,
  ): Promise<'applied' | 'unchanged'> {
    const { decision, changes, site, members } = plan;
    const isAppended = decision.events.length === 0;
    if (isAppended && members.length === 0) {
      await this.keepForms(context, plan, decision.after);
      return 'unchanged';
    }
    if (token === undefined || !isRestOf(token, plan.token, isAppended)) throw new PlanStale(`project "${site.key}"`);
    const applying = { ...context, apply: { plan: token, ...(commit === undefined ? {} : { commit }), files: [plan.file] } };
    const decided = isAppended ? decision : await this.execute(caller, applying, plan, token);
    await this.keepForms(context, plan, decided?.after ?? decision.after);
    for (const { action, kind, id } of changes)
      if (action === 'delete' && kind === 'group' && id !== null) await this.html.forget(plan.projectId, id);
    await this.members.apply(caller, applying, plan.projectId, site.members, members);
    return 'applied';
  }

  private async execute(caller: Principal, context: RequestContext, plan: PlannedSite, token: string): Promise<SiteDecision | undefined> {
    const { projectId, site, wanted, prune } = plan;
    const isNew = plan.access === null;
    const sealed = isNew ? await sealSecrets(wanted, (text) => this.keyring.seal(projectStream(projectId), text)) : wanted;
    return this.commands.execute(
      new ApplySite(
        { ...context, commandId: derivedId('apply', context.commandId, projectId) },
        {
          projectId,
          wanted: sealed,
          by: caller.userId,
          prune,
          agreed: isNew ? null : appendPartOf(token),
          ...(isNew && { created: { payerId: caller.userId, preset: site.addPresetChecks ?? false } }),
        },
      ),
    );
  }

  /** The markup of sign-in forms stands beside the log; a repeat completes what a crash left. */
  private async keepForms(context: RequestContext, { projectId, site }: PlannedSite, [, { areas }]: SiteState): Promise<void> {
    for (const { form } of site.groups) {
      const html = form?.html ?? '';
      const kept = keptHtmlOf(html);
      const [areaId] = [...areas].find(([, area]) => kept !== null && area.form?.keptHtml?.sha256 === kept.sha256) ?? [];
      if (areaId !== undefined) await this.html.keep(context, projectId, areaId, html);
    }
  }
}

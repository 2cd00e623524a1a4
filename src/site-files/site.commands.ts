import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../platform/commands/command-of.ts';
import { Plans } from '../accounts/plan.ts';
import { decideSite, PlanStale, type Prune, type SiteDecision } from './site.decider.ts';
import { type SiteState, type SiteEvent, siteTarget } from './site.ts';
import { appendToken } from './planned-site.ts';
import { siteChanges } from './site-changes.ts';
import type { WantedSite } from './wanted-site.ts';
import { projectStream } from '../kernel/stream-names.ts';
import type { Decide } from '../kernel/decider.ts';
import type { Sealed } from '../kernel/event.ts';
import { derivedObjectId } from '../kernel/ids.ts';
import { Claims } from '../platform/postgres/claims.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import { createInSlot, newApiKey } from '../projects/create-in-slot.ts';
import type { PlanLookup } from '../projects/project-slot.ts';

export interface LoadedSite {
  readonly state: SiteState;
  /** The revision of the last event; null when there is none. */
  readonly revision: number | null;
}

/** Appends nothing: the state that a plan is decided on. Of many projects at once, those that have not changed cost one query together. */
export class LoadSite extends Command<LoadedSite> {
  constructor(readonly projectId: string) {
    super();
  }
}

@CommandHandler(LoadSite)
export class LoadSiteHandler implements ICommandHandler<LoadSite> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ projectId }: LoadSite): Promise<LoadedSite> {
    const { state, revision } = await this.runner.loadIfMoved(siteTarget(projectId));
    return { state, revision: revision === 'no stream' ? null : revision };
  }
}

/** Makes a project as a site file wants it, in one append. Undefined: an earlier attempt of the command did. */
export class ApplySite extends CommandOf<
  {
    projectId: string;
    wanted: WantedSite;
    by: number;
    prune: Prune;
    /** The token of the append that the caller has agreed to, which every decision must have; null: any. */
    agreed: string | null;
    /** Present when there is no project yet. */
    created?: { readonly payerId: number; readonly preset: boolean };
  },
  SiteDecision | undefined
> {}

@CommandHandler(ApplySite)
export class ApplySiteHandler implements ICommandHandler<ApplySite> {
  constructor(
    readonly runner: CommandRunner,
    readonly claims: Claims,
    @Inject(Plans) readonly plans: PlanLookup,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
  ) {}

  async execute(command: ApplySite): Promise<SiteDecision | undefined> {
    const { context, fields } = command;
    const { projectId, created } = fields;
    const target = siteTarget(projectId);
    const secret = await this.secrets.secret('object-ids');
    if (created === undefined) return (await this.runner.run(target, context, decider(command, secret))).result;
    return createInSlot(this, context, {
      projectId,
      payerId: created.payerId,
      target,
      apiKey: () => this.keyring.seal(projectStream(projectId), newApiKey()),
      decide: (apiKey) => decider(command, secret, apiKey),
    });
  }
}

function decider(
  { context, fields: { projectId, wanted, by, prune, agreed, created } }: ApplySite,
  secret: Buffer,
  apiKey?: Sealed,
): Decide<SiteState, SiteEvent, SiteDecision> {
  const now = Date.parse(context.occurredAt);
  const idOf = (ordinal: number): string => derivedObjectId(secret, context.commandId, ordinal);
  const beginning = created === undefined || apiKey === undefined ? {} : { created: { ...created, projectId, apiKey } };
  return (before) => {
    const decision = decideSite(before, wanted, { by, now, prune, idOf, ...beginning });
    const { after, unlisted, events } = decision;
    if (agreed !== null && appendToken(secret, { projectId, changes: siteChanges(before, after, by), unlisted }) !== agreed)
      throw new PlanStale(`project "${wanted.settings.key ?? ''}"`);
    return { events, result: decision };
  };
}

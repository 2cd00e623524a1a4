import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import { publicArea } from '../../domain/area/settings.ts';
import { checklist, type Checklist, type ChecklistEvent } from '../../domain/check/checklist.ts';
import { createCheck, roomForChecks } from '../../domain/check/decisions.ts';
import { linkCheck } from '../../domain/check/preset.ts';
import { inspectHomepage } from '../../domain/project/decisions.ts';
import { objectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';
import { wholeProjectTarget } from './whole-project.ts';

export interface HomepageLink {
  readonly url: string;
  readonly text: string;
}

/** What the homepage told: what it is made with, and the pages that it links to. */
export class InspectHomepage extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    /** Of the project, as it was when the look began. */
    readonly url: string,
    readonly isWordPress: boolean,
    readonly links: readonly HomepageLink[],
  ) {
    super();
  }
}

@CommandHandler(InspectHomepage)
export class InspectHomepageHandler implements ICommandHandler<InspectHomepage> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  /** The links of a preset project become checks once, with the first look. */
  async execute({ context, projectId, url, isWordPress, links }: InspectHomepage): Promise<void> {
    const secret = await this.secrets.secret('object-ids');
    const idOf = (ordinal: number): string => objectId(secret, context.commandId, ordinal);
    await this.runner.run(wholeProjectTarget(projectId), context, ([project, list]) => {
      // Of a site that the project has left meanwhile it says nothing about the one that it is now.
      if (project.kind !== 'open' || project.settings.url !== url) return [];
      const inspected = inspectHomepage(project, isWordPress);
      return [...inspected, ...(project.awaitsLinks && inspected.length > 0 ? linkChecks(list, links, idOf) : [])];
    });
  }
}

/** Ordinal 0 is the group's, should it have been deleted meanwhile. */
function linkChecks(before: Checklist, links: readonly HomepageLink[], idOf: (ordinal: number) => string): readonly ChecklistEvent[] {
  const fallback = { areaId: idOf(0), settings: publicArea };
  const events: ChecklistEvent[] = [];
  let list = before;
  links.slice(0, roomForChecks(before)).forEach(({ url, text }, index) => {
    const made = createCheck(list, { checkId: idOf(index + 1), areaId: null, settings: linkCheck(text, url), fallback });
    list = made.reduce(checklist.evolve, list);
    events.push(...made);
  });
  return events;
}

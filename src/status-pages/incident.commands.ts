import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../platform/commands/command-of.ts';
import {
  changeDraft,
  discardDraft,
  draftForItem,
  draftIncident,
  editUpdate,
  endAutomatic,
  type IncidentEvent,
  type Incidents,
  incidentsTarget,
  openIncident,
  publishAutomatic,
  publishDraft,
  updateIncident,
} from './incident.decider.ts';
import type { AutomaticDraft } from './incident.events.ts';
import { type IncidentState, type IncidentWords, itemsOf } from './status-page.settings.ts';
import { required, statusPagesTarget } from './status-page.decider.ts';
import { objectIds } from '../platform/commands/object-ids.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';

export type IncidentChange =
  | { readonly kind: 'open' | 'draft'; readonly words: IncidentWords }
  | { readonly kind: 'change draft'; readonly incidentId: string; readonly words: IncidentWords }
  | { readonly kind: 'discard draft' | 'publish'; readonly incidentId: string }
  | { readonly kind: 'draft for item'; readonly words: IncidentWords; readonly automatic: AutomaticDraft }
  | { readonly kind: 'publish automatic'; readonly incidentId: string }
  /** `text`: of the update that resolves it; null: only a draft ends. */
  | { readonly kind: 'end automatic'; readonly item: string; readonly text: string | null }
  | { readonly kind: 'update'; readonly incidentId: string; readonly state: IncidentState; readonly text: string }
  | { readonly kind: 'edit'; readonly incidentId: string; readonly updateId: string; readonly to: string };

/** Answers the id of the incident. */
export class ChangeIncident extends CommandOf<{ pageId: string; change: IncidentChange }, string> {}

interface NewIds {
  readonly incidentId: string;
  readonly updateId: string;
}

@CommandHandler(ChangeIncident)
export class ChangeIncidentHandler implements ICommandHandler<ChangeIncident> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: Secrets,
  ) {}

  async execute({ context, fields: { pageId, change } }: ChangeIncident): Promise<string> {
    const idOf = await objectIds(this.secrets, context);
    const made = { incidentId: idOf(0), updateId: idOf(1) };
    const page = required(await this.runner.read(statusPagesTarget), pageId);
    const items = itemsOf(page).map(({ id }) => id);
    await this.runner.run(incidentsTarget(pageId), context, (incidents) => decide(incidents, pageId, change, made, items));
    return 'incidentId' in change ? change.incidentId : made.incidentId;
  }
}

function decide(
  incidents: Incidents,
  pageId: string,
  change: IncidentChange,
  { incidentId, updateId }: NewIds,
  items: readonly string[],
): readonly IncidentEvent[] {
  switch (change.kind) {
    case 'open':
      return openIncident(incidents, { pageId, incidentId, updateId, ...change.words }, items);
    case 'draft':
      return draftIncident(incidents, { pageId, incidentId, ...change.words, automatic: null }, items);
    case 'draft for item':
      return draftForItem(incidents, { pageId, incidentId, ...change.words, automatic: change.automatic }, items);
    case 'publish automatic':
      return publishAutomatic(incidents, pageId, change.incidentId, updateId);
    case 'end automatic':
      return endAutomatic(incidents, { pageId, item: change.item, updateId, text: change.text });
    case 'change draft':
      return changeDraft(incidents, { pageId, incidentId: change.incidentId, ...change.words }, items);
    case 'discard draft':
      return discardDraft(incidents, pageId, change.incidentId);
    case 'publish':
      return publishDraft(incidents, pageId, change.incidentId, updateId);
    case 'update':
      return updateIncident(incidents, { pageId, incidentId: change.incidentId, updateId, state: change.state, text: change.text });
    case 'edit':
      return editUpdate(incidents, { pageId, incidentId: change.incidentId, updateId: change.updateId, to: change.to });
  }
}

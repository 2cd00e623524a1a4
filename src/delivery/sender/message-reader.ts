import type { Delivery } from '../outbox/delivery-store.ts';
import { checkView } from '../../projections/read-models/check/check.view.ts';
import type { ViewsAt } from '../../projections/views/views.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';
import type { Answered, Message } from '../composing/message.ts';
import type { Bundling, Told } from './bundling.ts';
import type { EarlierSettings } from './earlier-settings.ts';

/** A message with the names that its project and checks have today. */
export class MessageReader {
  constructor(
    private readonly bundling: Bundling,
    private readonly views: ViewsAt,
    private readonly earlier: EarlierSettings,
  ) {}

  async read(delivery: Alert, told: readonly Told[], zone: string): Promise<Message> {
    const views = this.views.now();
    const ids = [...new Set(told.flatMap(({ facts }) => (facts.checkId === undefined ? [] : [facts.checkId])))];
    const [project, checks, answers] = await Promise.all([
      views.get(projectView, delivery.projectId),
      views.many(checkView, ids),
      delivery.kind === 'problem' ? [] : this.answersOf(delivery),
    ]);
    const url = project?.settings.url ?? told[0]?.facts.url ?? '';
    return {
      id: delivery.id,
      kind: delivery.kind,
      project: { id: delivery.projectId, title: project?.settings.title ?? url, url },
      items: told.map(({ facts }) => ({
        ...facts,
        name: facts.checkId === undefined ? '' : (checks.get(facts.checkId)?.settings.name ?? ''),
      })),
      zone,
      at: delivery.createdAt.toISOString(),
      answers,
    };
  }

  private async answersOf(delivery: Alert): Promise<readonly Answered[]> {
    const ended = await this.bundling.answered(delivery.id);
    return Promise.all(ended.map((one) => this.earlier.of(delivery, one)));
  }
}

export type Alert = Delivery & { readonly kind: Exclude<Delivery['kind'], 'report'> };

export const isAlert = (delivery: Delivery): delivery is Alert => delivery.kind !== 'report';

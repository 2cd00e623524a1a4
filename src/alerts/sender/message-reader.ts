import type { Log } from '../../platform/log/log.ts';
import { checkView } from '../../projects/checks/check.view.ts';
import { projectView } from '../../projects/project.view.ts';
import { unlessParked, type ViewsAt } from '../../platform/read-models/views/views.ts';
import { incidentChannels } from '../channels/channel-table.ts';
import type { AlertFacts, AnsweredMessage, Message, MessageItem } from '../composing/message.ts';
import type { Delivery } from '../../platform/outbox/delivery-store.ts';
import type { AddressBook } from './address-book.ts';
import type { BundledIntent, EndedMessage, MessageBundler } from './message-bundler.ts';

export type Alert = Delivery & { readonly kind: Exclude<Delivery['kind'], 'report' | 'notice'> };

export const isAlert = (delivery: Delivery): delivery is Alert => delivery.kind !== 'report' && delivery.kind !== 'notice';

/** The address of the console for a recipient; null: none is known. */
export type ConsoleOf = (userId: number) => Promise<string | null>;

/** Reads the content of an alert at the moment of delivery, with the current names of the project and its checks. */
export class MessageReader {
  constructor(
    private readonly bundler: MessageBundler,
    private readonly addresses: AddressBook,
    private readonly views: ViewsAt,
    private readonly log: Pick<Log, 'at'>,
    private readonly consoleOf: ConsoleOf,
  ) {}

  async read(delivery: Alert, intents: readonly BundledIntent[], attempt: Pick<Message, 'zone' | 'traceparent'>): Promise<Message> {
    const views = this.views.now();
    const ids = [...new Set(intents.flatMap(({ facts }) => (facts.checkId === undefined ? [] : [facts.checkId])))];
    const [project, checks, answers, console] = await Promise.all([
      views.get(projectView, delivery.projectId),
      views.many(checkView, ids),
      delivery.kind === 'problem' ? [] : this.answersOf(delivery),
      this.consoleOf(delivery.userId),
    ]);
    const url = project?.settings.url ?? intents[0]?.facts.url ?? '';
    return {
      id: delivery.id,
      kind: delivery.kind,
      project: { id: delivery.projectId, title: project?.settings.title ?? url, url },
      items: intents.map(({ facts }) => ({
        ...facts,
        name: facts.checkId === undefined ? '' : (checks.get(facts.checkId)?.settings.name ?? ''),
        ...evidenceAt(console, delivery.projectId, facts),
      })),
      ...attempt,
      at: delivery.createdAt.toISOString(),
      answers,
    };
  }

  private async answersOf(delivery: Alert): Promise<readonly AnsweredMessage[]> {
    const ended = await this.bundler.endedMessages(delivery.id);
    return Promise.all(ended.map((message) => this.withEarlierSettings(delivery, message)));
  }

  /** An incident is resolved with the key that opened it, whatever key its recipient has set since. */
  private async withEarlierSettings({ userId, channel: name }: Alert, { id, over, deliveredAt }: EndedMessage): Promise<AnsweredMessage> {
    const channel = incidentChannels.find((known) => known === name);
    if (!over || deliveredAt === null || channel === undefined) return { id, over };
    const then = this.views.asOf(await this.log.at(deliveredAt.toISOString()));
    const address = await unlessParked(this.addresses.find(userId, channel, then));
    return address === 'parked' || address.kind === 'none' ? { id, over } : { id, over, settings: address.settings };
  }
}

const evidenceAt = (console: string | null, projectId: string, { event }: AlertFacts): Pick<MessageItem, 'evidence'> =>
  console === null || event === undefined ? {} : { evidence: `${console}/console/projects/${projectId}/events/${event}` };

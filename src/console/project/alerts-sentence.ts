interface ChainedEvent {
  readonly type: string;
  readonly recordedAt: string;
  readonly summary: string;
}

export interface AlertsSummary {
  /** Says that none was sent when the chain has no alert. */
  readonly words: string;
  readonly isProblem: boolean;
}

const counted = (number: number): string => `${String(number)} ${number === 1 ? 'alert' : 'alerts'}`;

/** Whether people know of a failure, from the events that it caused. `clock`: writes the time of an instant. */
export function alertsSentence(chain: readonly ChainedEvent[], clock: (at: number) => string): AlertsSummary {
  const of = (type: string): readonly ChainedEvent[] => chain.filter((event) => event.type === type);
  const [requested, delivered, givenUp] = [of('NotificationRequested'), of('NotificationDelivered'), of('NotificationGivenUp')];
  if (requested.length === 0) return { words: 'No alert was sent.', isProblem: false };
  const waiting = requested.length - delivered.length - givenUp.length;
  const last = delivered.at(-1);
  const parts = [
    last === undefined ? '' : `${counted(delivered.length)} delivered by ${clock(Date.parse(last.recordedAt))}`,
    waiting > 0 ? `${counted(waiting)} under way` : '',
    givenUp.length > 0 ? `${counted(givenUp.length)} given up` : '',
  ].filter((part) => part !== '');
  return { words: `${parts.join(', ')}.`, isProblem: delivered.length === 0 && givenUp.length > 0 };
}

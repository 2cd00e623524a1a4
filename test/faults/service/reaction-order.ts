export interface ReceivedEffect {
  readonly scope: string;
  readonly position: number;
  /** Its deduplication id. */
  readonly key: string;
}

/** What a receiver of the effects of a reactor sees: in the order of each scope, where a refused one is repeated before the next; the same id at each repetition. */
export class ReactionOrder {
  readonly problems: string[] = [];
  private readonly accepted = new Map<string, number[]>();
  private readonly refused = new Map<string, number>();
  private readonly positions = new Map<string, number>();
  private readonly keys = new Map<number, string>();

  take({ scope, position, key }: ReceivedEffect, isAccepted: boolean): void {
    const what = `the effect of ${String(position)} of ${scope}`;
    if ((this.keys.get(position) ?? key) !== key) this.problems.push(`${what} came again with another id`);
    if ((this.positions.get(key) ?? position) !== position) this.problems.push(`${what} has the id of another one`);
    this.keys.set(position, key);
    this.positions.set(key, position);
    const before = this.acceptedOf(scope);
    if (before.includes(position)) return;
    if (position < (before.at(-1) ?? -1)) this.problems.push(`${what} came after that of a later event`);
    const refused = this.refused.get(scope);
    if (refused !== undefined && refused !== position)
      this.problems.push(`${what} came before ${String(refused)}, which had failed, again`);
    if (isAccepted) this.refused.delete(scope);
    else this.refused.set(scope, position);
    if (isAccepted) this.accepted.set(scope, [...before, position]);
  }

  acceptedOf(scope: string): readonly number[] {
    return this.accepted.get(scope) ?? [];
  }
}

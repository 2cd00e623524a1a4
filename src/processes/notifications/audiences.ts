import type { Clock } from '../../kernel/clock.ts';
import type { Views } from '../../projections/views/views.ts';
import { audienceOf, quietUntil, type Recipient } from './audience.ts';

export interface Audience {
  readonly recipients: readonly Recipient[];
  /** Not before: the project is in maintenance. */
  readonly from: number;
}

/** Looked up once for all events of a batch: a thousand checks of one project may fail together. */
export class Audiences {
  private readonly known = new Map<string, Promise<Audience>>();

  constructor(
    private readonly views: Views,
    private readonly parts: { readonly clock: Clock; readonly mailIsOn: boolean },
  ) {}

  /** Rejects with `KeyParked` while the project, its switches or its maintenance cannot be read. */
  of(projectId: string): Promise<Audience> {
    const audience = this.known.get(projectId) ?? this.look(projectId);
    this.known.set(projectId, audience);
    return audience;
  }

  private async look(projectId: string): Promise<Audience> {
    const now = this.parts.clock.now();
    const recipients = await audienceOf(this.views, projectId, this.parts.mailIsOn);
    return { recipients, from: (await quietUntil(this.views, projectId, now)) ?? 0 };
  }
}

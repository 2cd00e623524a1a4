import { type AnsweringReplica, currentReplica } from '../../postgres/read-replicas/current-replica.ts';
import { DomainError } from '../../../kernel/errors.ts';
import type { Views, ViewsAt } from './views.ts';

/** The views of the primary, and of each replica. A batch of look-ups belongs to one of them, so that none is answered by a server that is too old for it. */
export class ReplicatedViews implements ViewsAt {
  constructor(
    private readonly primary: ViewsAt,
    private readonly replicas: ReadonlyMap<AnsweringReplica, ViewsAt>,
  ) {}

  now(): Views {
    return this.current().now();
  }

  asOf(n: number): Views {
    return this.current().asOf(n);
  }

  /** Reads nothing but the views, so that it can be repeated on the primary when the replica fails. */
  async snapshot<T>(work: (views: Views) => Promise<T>): Promise<T> {
    const views = this.current();
    if (views === this.primary) return views.snapshot(work);
    try {
      return await views.snapshot(work);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      currentReplica()?.repeated();
      return this.primary.snapshot(work);
    }
  }

  private current(): ViewsAt {
    const replica = currentReplica();
    return (replica === null ? undefined : this.replicas.get(replica)) ?? this.primary;
  }
}

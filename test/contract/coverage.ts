import { operationTable } from '../../src/app/operation-table.ts';
import type { GeneratedRequest } from './requests.ts';

/** How often each operation was answered with which status. */
export class Coverage {
  private readonly counts = new Map<string, Map<number, number>>();

  count({ operation }: GeneratedRequest, status: number): void {
    const ofOperation = this.counts.get(operation) ?? new Map<number, number>();
    ofOperation.set(status, (ofOperation.get(status) ?? 0) + 1);
    this.counts.set(operation, ofOperation);
  }

  /** Of all answers, those with this status. */
  share(status: number): number {
    const all = [...this.counts.values()].flatMap((counts) => [...counts]);
    const sum = (counts: readonly (readonly [number, number])[]): number => counts.reduce((total, [, count]) => total + count, 0);
    return sum(all.filter(([known]) => known === status)) / Math.max(1, sum(all));
  }

  neverAnswered(status: number): readonly string[] {
    return Object.keys(operationTable).filter((operation) => !this.counts.get(operation)?.has(status));
  }

  table(): string {
    return [...this.counts]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([operation, counts]) => {
        const found = [...counts].toSorted(([one], [other]) => one - other).map(([status, count]) => `${String(status)}×${String(count)}`);
        return `${operation.padEnd(60)} ${found.join(' ')}`;
      })
      .join('\n');
  }
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

/** Retained memory during streaming: garbage is collected before each measurement. */
export class HeapWatch {
  private readonly looks: number[] = [];

  constructor(private readonly every: number) {}

  async *watch<Chunk>(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
    let passed = 0;
    for await (const chunk of chunks) {
      yield chunk;
      if (++passed % this.every !== 0) continue;
      collect();
      this.looks.push(process.memoryUsage().heapUsed);
    }
  }

  /** From the first measurement to the highest later one. */
  get grown(): number {
    const [first = 0, ...later] = this.looks;
    return Math.max(0, ...later.map((look) => look - first));
  }
}

const MAX_LINE = 2_000;
const TAIL = 4_000;
/** Lines in a row; a second refills as many. */
const BURST = 50;

/** What the process of a package prints: line by line, bounded in length and rate, so that it cannot flood the log. */
export class TeamOutput {
  private rest = '';
  private left = BURST;
  private refilledAt = performance.now();
  private dropped = 0;
  private end = '';

  constructor(private readonly onLine: (line: string) => void) {}

  /** The last of it. */
  get tail(): string {
    return this.end;
  }

  write(chunk: Buffer): void {
    const text = chunk.toString('utf8');
    this.end = (this.end + text).slice(-TAIL);
    const lines = (this.rest + text).split('\n');
    this.rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) this.say(line.trimEnd());
  }

  private say(line: string): void {
    if (line === '') return;
    const now = performance.now();
    if (now - this.refilledAt > 1_000) {
      this.left = BURST;
      this.refilledAt = now;
      if (this.dropped > 0) this.onLine(`(${String(this.dropped)} lines were dropped)`);
      this.dropped = 0;
    }
    if (this.left-- > 0) this.onLine(line.slice(0, MAX_LINE));
    else this.dropped++;
  }
}

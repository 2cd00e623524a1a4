/** Where progress goes: a bar that is drawn over itself on a terminal, a line now and then elsewhere. */
export interface ProgressTarget {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const DRAW_MS = 100;
const LINE_MS = 10_000;
const CELLS = 30;
const CLEAR_LINE = '\r\u001b[K';

/** How far something is: events done, rate, time left. */
export class Progress {
  private readonly started: number;
  private drawnAt: number;
  private drawn = false;

  constructor(
    private readonly what: string,
    private readonly target: ProgressTarget = process.stderr,
    private readonly now: () => number = () => performance.now(),
    private readonly unit = 'events',
  ) {
    this.started = this.now();
    // The first line on paper comes after its interval, the bar at once.
    this.drawnAt = target.isTTY === true ? -Infinity : this.started;
  }

  report(done: number, total: number): void {
    const at = this.now();
    const terminal = this.target.isTTY === true;
    if (at - this.drawnAt < (terminal ? DRAW_MS : LINE_MS)) return;
    this.drawnAt = at;
    const line = `${this.what} ${terminal ? `${bar(done, total)} ` : ''}${words(done, total, (at - this.started) / 1_000, this.unit)}`;
    this.target.write(terminal ? `${CLEAR_LINE}${line}` : `${line}\n`);
    this.drawn ||= terminal;
  }

  /** Takes the bar away; what comes next begins on a line of its own. */
  end(): void {
    if (this.drawn) this.target.write(CLEAR_LINE);
    this.drawn = false;
  }
}

export function bar(done: number, total: number): string {
  const full = total <= 0 ? CELLS : Math.max(0, Math.min(CELLS, Math.floor((done / total) * CELLS)));
  return `[${'#'.repeat(full)}${'-'.repeat(CELLS - full)}]`;
}

function words(done: number, total: number, seconds: number, unit: string): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 ? `, ${String(Math.ceil(Math.max(0, total - done) / rate))} s left` : '';
  return `${String(done)} of ${String(total)} ${unit}, ${String(Math.round(rate))}/s${left}`;
}

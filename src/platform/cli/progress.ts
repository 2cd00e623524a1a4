import { harmlessText } from './terminal.ts';

/** A stream for progress: a terminal gets a bar that is redrawn, another stream a line every ten seconds. */
export interface ProgressTarget {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const DRAW_MS = 100;
const LINE_MS = 10_000;
const CELLS = 30;
const CLEAR_LINE = '\r\u001b[K';

/** Writes a line where a bar may be drawn, which is drawn anew below. */
export const writeLine = (target: ProgressTarget, line: string): void => {
  target.write(`${target.isTTY === true ? CLEAR_LINE : ''}${harmlessText(line)}\n`);
};

/** Reports progress: units done, rate, time left. */
export class Progress {
  private readonly started: number;
  private lastWritten: number;
  private drawn = false;

  constructor(
    private readonly label: string,
    private readonly target: ProgressTarget = process.stderr,
    private readonly now: () => number = () => performance.now(),
    private readonly unit = 'events',
  ) {
    this.started = this.now();
    // The bar appears at once, the first line after its interval.
    this.lastWritten = target.isTTY === true ? -Infinity : this.started;
  }

  report(done: number, total: number): void {
    const at = this.now();
    const terminal = this.target.isTTY === true;
    if (at - this.lastWritten < (terminal ? DRAW_MS : LINE_MS)) return;
    this.lastWritten = at;
    const line = `${this.label} ${terminal ? `${bar(done, total)} ` : ''}${progressText(done, total, (at - this.started) / 1_000, this.unit)}`;
    this.target.write(terminal ? `${CLEAR_LINE}${line}` : `${line}\n`);
    this.drawn ||= terminal;
  }

  /** Removes the bar, so that later output starts on an empty line. */
  end(): void {
    if (this.drawn) this.target.write(CLEAR_LINE);
    this.drawn = false;
  }
}

export function bar(done: number, total: number): string {
  const full = total <= 0 ? CELLS : Math.max(0, Math.min(CELLS, Math.floor((done / total) * CELLS)));
  return `[${'#'.repeat(full)}${'-'.repeat(CELLS - full)}]`;
}

function progressText(done: number, total: number, seconds: number, unit: string): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 ? `, ${String(Math.ceil(Math.max(0, total - done) / rate))} s left` : '';
  return `${String(done)} of ${String(total)} ${unit}, ${String(Math.round(rate))}/s${left}`;
}

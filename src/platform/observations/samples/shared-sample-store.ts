import { HOUR_MS } from '../../../kernel/time.ts';
import type { SampleReader } from './sample-store.ts';
import type { Sample } from './sample.ts';

/** Samples are stored by the hour; a reader asks for some minutes more on either side than it reports of. */
const MARGIN_MS = HOUR_MS / 4;

interface Read {
  readonly from: number;
  readonly to: number;
  readonly samples: Promise<readonly Sample[]>;
}

/** The samples of one project for several readers of about the same span: the first read answers those within it. */
export class SharedSampleStore implements SampleReader {
  private known: Read | null = null;

  constructor(private readonly samples: Pick<SampleReader, 'between'>) {}

  async between(projectId: string, from: number, to: number, recordedUntil?: number): Promise<readonly Sample[]> {
    if (!(from < to)) return [];
    const isKnown = this.known !== null && this.known.from <= from && to <= this.known.to;
    const read = this.known !== null && isKnown ? this.known : this.read(projectId, from, to, recordedUntil);
    this.known ??= read;
    return (await read.samples).filter(({ at }) => at >= from && at < to);
  }

  outcomes(projectId: string, from: number, to: number, recordedUntil?: number): Promise<readonly Sample[]> {
    return this.between(projectId, from, to, recordedUntil);
  }

  private read(projectId: string, begin: number, end: number, recordedUntil: number | undefined): Read {
    const [from, to] = [Math.floor(begin / HOUR_MS) * HOUR_MS - MARGIN_MS, end + MARGIN_MS];
    return { from, to, samples: this.samples.between(projectId, from, to, recordedUntil) };
  }
}

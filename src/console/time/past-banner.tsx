import { address, shownInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { fullOf, utcOf } from './instants.ts';

interface PastBannerProps {
  /** Whose page it is; null: that of no project. */
  readonly project: string | null;
  /** To the event before or after. */
  readonly step: (direction: -1 | 1) => void;
  /** Whether the bar has an event before. */
  readonly hasEarlier: boolean;
  readonly toNow: () => void;
  /** Marks after the instant that is shown; null: the bar does not reach until now. */
  readonly later: number | null;
}

/** Says that the page shows the past; in the past nothing can be changed. */
export function PastBanner({ project, step, hasEarlier, toNow, later }: PastBannerProps) {
  const at = shownInstant.value;
  if (at === null) return null;
  return (
    <div class="past-banner" role="status">
      <p>
        <strong>
          As it was on{' '}
          <time dateTime={new Date(at).toISOString()} title={utcOf(at)}>
            {fullOf(at)}
          </time>
        </strong>
        <span>
          read only
          {later !== null && ` · ${later.toLocaleString('en')} ${later === 1 ? 'failure or change' : 'failures and changes'} since`}
        </span>
      </p>
      <div class="past-steps">
        <button
          aria-disabled={!hasEarlier}
          title={hasEarlier ? undefined : 'No earlier event on the bar: − shows a longer time'}
          onClick={() => step(-1)}
        >
          <span aria-hidden="true">←</span> event <kbd>[</kbd>
        </button>
        <button onClick={() => step(1)}>
          event <span aria-hidden="true">→</span> <kbd>]</kbd>
        </button>
        {project !== null && address.value.path[2] !== 'compare' && (
          <Link to={['projects', project, 'compare']} class="button">
            Compare with now
          </Link>
        )}
        <button onClick={toNow}>
          Return to now <kbd>T</kbd>
        </button>
      </div>
    </div>
  );
}

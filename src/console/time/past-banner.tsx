import type { ComponentChildren } from 'preact';
import { shownInstant, showInstant } from '../frame/address.ts';
import { fullOf, utcOf } from './instants.ts';

/** Says that the page shows the past; in the past nothing can be changed. */
export function PastBanner({ children }: { readonly children?: ComponentChildren }) {
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
        </strong>{' '}
        · read only
      </p>
      {children}
      <button onClick={() => showInstant(null)}>
        Return to now <kbd>T</kbd>
      </button>
    </div>
  );
}

import { shownInstant, showInstant } from '../frame/address.ts';
import { Link } from '../frame/link.tsx';
import { useTitleOfPlace } from '../frame/titles.ts';
import { errorSentence, isNotShown } from '../service/service.ts';
import { shortOf, spanOf } from '../time/instants.ts';
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../service/use-loaded.ts';

interface FailedProps {
  /** The part that could not be read. */
  readonly what: string;
  readonly error: unknown;
  readonly retry?: () => void;
}

/** A part that could not be read: what is known of it, and what to do. `isPage`: nothing else stands on the page, so it has the heading. */
export function Failed({ what, error, retry, isPage = false }: FailedProps & { readonly isPage?: boolean }) {
  const isRefused = isNotShown(error);
  return (
    <div class="failed" role="alert">
      {isPage && (
        <h1>
          {what} {isRefused ? 'was not found' : 'could not be read'}.
        </h1>
      )}
      {(!isPage || !isRefused) && (
        <p>
          {!isPage && <strong>{what} could not be read. </strong>}
          {errorSentence(error)}
        </p>
      )}
      {isRefused && <Refused />}
      {retry !== undefined && !isRefused && <button onClick={retry}>Try again</button>}
    </div>
  );
}

/** Says which role is needed; in the past it may be missing because nothing existed yet. */
function Refused() {
  if (shownInstant.value === null)
    return (
      <p class="soft">
        It does not exist, or your role does not show it. An admin of the site changes roles on its page. <Link to={[]}>All sites</Link>
      </p>
    );
  return (
    <p class="soft">
      At this instant it did not exist, or your role did not show it.{' '}
      <button class="quiet inline" onClick={() => showInstant(null)}>
        Return to now
      </button>
    </p>
  );
}

/** A placeholder as large as what comes, which is seen only when that takes longer than a moment. */
export function Loading() {
  return (
    <div class="loading" aria-hidden="true">
      <div class="loading-title" />
      <div class="loading-line" />
      <div class="loading-block" />
      <div class="loading-block" />
    </div>
  );
}

/** A whole page that is being read, or could not be. */
export function PageState({ what, error, retry }: FailedProps) {
  useTitleOfPlace(error !== undefined);
  return (
    <main class="page" aria-busy={error === undefined}>
      {error === undefined ? <Loading /> : <Failed what={what} error={error} isPage {...(retry && { retry })} />}
    </main>
  );
}

interface StaleProps {
  /** When what is shown was read. */
  readonly readAt: number;
  readonly error: unknown;
  readonly now: number;
}

/** What is shown could not be read again: how old it is, and why. */
export function Stale({ readAt, error, now }: StaleProps) {
  return (
    <p class="warn" role="status">
      As of {shortOf(readAt, now)}, {spanOf(now - readAt)} ago: it could not be read again. {errorSentence(error)}
    </p>
  );
}

/** What was erased or is kept no longer: why, and what remains. */
export function Erased({ why, remains }: { readonly why: string; readonly remains: string }) {
  return (
    <p class="section soft">
      {why} {remains}
    </p>
  );
}

interface LoadedListProps<Item> {
  readonly what: string;
  readonly loaded: Loaded<readonly Item[]>;
  /** What is said of an empty list. */
  readonly none: string;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

/** A list of its own request: a part that fails leaves the others. */
export function LoadedList<Item>({ what, loaded: { value, error, reload }, none, children }: LoadedListProps<Item>) {
  if (value !== undefined) return value.length === 0 ? <p class="soft">{none}</p> : <>{children(value)}</>;
  return error === undefined ? <p class="soft" aria-busy="true" /> : <Failed what={what} error={error} retry={reload} />;
}

/** A thin line above everything: what is shown may be old, and nothing that was typed is lost. */
export function Disconnected() {
  return (
    <div class="disconnected" role="status">
      The service does not answer. What is shown may be old, and what you type is kept; the page connects again by itself.
    </div>
  );
}

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, type LiveMessage } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { isSignedOut, service } from './service.ts';

/** Projects that changed a moment ago, whose rows are marked. */
export const changedProjects = signal<ReadonlySet<string>>(new Set());
/** Counts what came live, so that the bar of time marks it. */
export const liveRound = signal(0);
const MARKED_MS = 1_000;
const RETRY_MS = 5_000;
/** What is refused, such as a site that does not exist, may be allowed later. */
const REFUSED_RETRY_MS = 60_000;

const LIST_TYPES: readonly string[] = ['ProjectCreated', 'ProjectRenamed', 'ProjectTagsChanged', 'ProjectDeleted'];

/** Changes of state in all projects, and changes of settings that the overview shows. */
const TYPES = [
  ...['CheckPassed', 'CheckFailed', 'CheckFailureChanged', 'CheckRecovered'],
  ...['UptimeBegan', 'UptimeWentDown', 'UptimeFailureChanged', 'UptimeWentUp'],
  ...['CertificateSeen', 'CertificateDistrusted', 'CertificateExpired', 'RedirectVerified', 'RedirectFailed', 'RedirectUnreachable'],
  ...['MaintenanceScheduled', 'MaintenanceCancelled'],
  ...LIST_TYPES,
];

export interface ProjectChanges {
  /** Something that the overview says may be different; at most once a second. */
  readonly onChange: () => void;
  /** A project was made, renamed, tagged or deleted: the list of all is read again for nothing less. */
  readonly onListChange: () => void;
}

/** A hidden tab follows nothing, because a browser may have more tabs than one session may follow at once. */
const isVisible = signal(!document.hidden);
document.addEventListener('visibilitychange', () => (isVisible.value = !document.hidden));

/** Live while a visible page shows the present. After a pause, what happened meanwhile has to be read: `isAgain` answers true from the second start on. */
function useLive(): { readonly isLive: boolean; readonly isAgain: () => boolean } {
  const isLive = shownInstant.value === null && !isSignedOut.value && isVisible.value;
  const hasBeen = useRef(false);
  const isAgain = (): boolean => {
    const before = hasBeen.current;
    hasBeen.current = true;
    return before;
  };
  return { isLive, isAgain };
}

/** Follows all projects while the page shows the present. */
export function useFollowedProjects(changes: ProjectChanges): void {
  const { isLive, isAgain } = useLive();
  const held = useRef(changes);
  held.current = changes;
  useEffect(
    () =>
      isLive
        ? untilAborted((signal) => {
            const changed = throttled(() => held.current.onChange(), signal);
            const listed = throttled(() => held.current.onListChange(), signal);
            if (isAgain()) listed();
            return followAll(signal, (type) => (LIST_TYPES.includes(type) ? listed : changed)());
          })
        : undefined,
    [isLive],
  );
}

export interface LiveProject {
  readonly onMessage: (message: LiveMessage) => void;
  /** What the page of the project shows may be different; at most once a second. */
  readonly onChange: () => void;
}

/** Follows one project while the page shows the present. */
export function useFollowedProject(id: string, changes: LiveProject): void {
  const { isLive, isAgain } = useLive();
  const held = useRef(changes);
  held.current = changes;
  useEffect(
    () =>
      isLive
        ? untilAborted(async (signal) => {
            const changed = throttled(() => held.current.onChange(), signal);
            if (isAgain()) changed();
            for await (const message of service.live(id, { signal })) {
              held.current.onMessage(message);
              changed();
            }
          })
        : undefined,
    [id, isLive],
  );
}

async function followAll(signal: AbortSignal, changed: (type: string) => void): Promise<void> {
  for await (const { scope, type } of service.follow('/events', { after: 'now', type: TYPES, signal })) {
    mark(scope.replace(/^project-/, ''));
    changed(type);
  }
}

function mark(id: string): void {
  changedProjects.value = new Set([...changedProjects.value, id]);
  setTimeout(() => {
    changedProjects.value = new Set([...changedProjects.value].filter((other) => other !== id));
  }, MARKED_MS);
}

function untilAborted(work: (signal: AbortSignal) => Promise<void>): () => void {
  const aborter = new AbortController();
  const { signal } = aborter;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const isRefused = await work(signal).then(
        () => false,
        (error: unknown) => error instanceof ApiError && (error.status === 403 || error.status === 404),
      );
      await new Promise((done) => setTimeout(done, isRefused ? REFUSED_RETRY_MS : RETRY_MS));
    }
  };
  void run();
  return () => aborter.abort();
}

function throttled(work: () => void, signal: AbortSignal): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (signal.aborted) return;
      liveRound.value++;
      work();
    }, 1_000);
  };
}

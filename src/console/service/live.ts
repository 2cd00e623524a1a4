import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { LiveMessage } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { isSignedOut, service } from './service.ts';

/** Projects that changed a moment ago, whose rows are marked. */
export const changedProjects = signal<ReadonlySet<string>>(new Set());
const MARKED_MS = 1_000;
const RETRY_MS = 5_000;

/** Changes of state in all projects, and changes of settings that the overview shows. */
const TYPES = [
  ...['CheckPassed', 'CheckFailed', 'CheckFailureChanged', 'CheckRecovered'],
  ...['UptimeBegan', 'UptimeWentDown', 'UptimeFailureChanged', 'UptimeWentUp'],
  ...['CertificateSeen', 'CertificateDistrusted', 'CertificateExpired', 'RedirectVerified', 'RedirectFailed', 'RedirectUnreachable'],
  ...['ProjectCreated', 'ProjectRenamed', 'ProjectDeleted', 'MaintenanceScheduled', 'MaintenanceCancelled'],
];

/** Follows all projects while the page shows the present; `onChange` at most once a second. */
export function useFollowedProjects(onChange: () => void): void {
  const isLive = shownInstant.value === null && !isSignedOut.value;
  useEffect(() => (isLive ? untilAborted((signal) => followAll(signal, throttled(onChange, signal))) : undefined), [isLive]);
}

/** Follows one project while the page shows the present. */
export function useFollowedProject(id: string, onMessage: (message: LiveMessage) => void): void {
  const isLive = shownInstant.value === null && !isSignedOut.value;
  useEffect(
    () =>
      isLive
        ? untilAborted(async (signal) => {
            for await (const message of service.live(id, { signal })) onMessage(message);
          })
        : undefined,
    [id, isLive],
  );
}

async function followAll(signal: AbortSignal, changed: () => void): Promise<void> {
  for await (const { scope } of service.follow('/events', { after: 'now', type: TYPES, signal })) {
    mark(scope.replace(/^project-/, ''));
    changed();
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
      // What fails for good, such as a right that was taken away, is asked for again: slowly.
      await work(signal).catch(() => undefined);
      await new Promise((done) => setTimeout(done, RETRY_MS));
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
      if (!signal.aborted) work();
    }, 1_000);
  };
}

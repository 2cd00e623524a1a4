import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, type DataOf, type LiveMessage } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { session } from '../session/session.ts';
import { isSignedOut, service, streaming } from './service.ts';

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

/** What is followed: all projects, or one. */
type StreamName = 'all' | `project ${string}`;

/** From the tab that holds a stream to the others. `again`: events may have been missed, so what is shown has to be read. */
type Shared =
  | { readonly kind: 'message'; readonly message: FollowedMessage }
  | { readonly kind: 'state'; readonly isOpen: boolean }
  | { readonly kind: 'again' };

type FollowedMessage = LiveMessage | { readonly type: 'change'; readonly projectId: string; readonly of: string };

interface Follower {
  readonly onMessage: (message: FollowedMessage) => void;
  readonly onAgain: () => void;
}

const states = signal<ReadonlyMap<StreamName, boolean>>(new Map());

/** Whether what this page shows is kept up to date by the streams that it follows; null until the service has answered. */
export const isLive = computed(() => {
  const known = [...states.value.values()];
  return known.includes(false) ? false : known.length === 0 ? null : true;
});

function setState(name: StreamName, isOpen: boolean | null): void {
  const next = new Map(states.value);
  if (isOpen === null) next.delete(name);
  else next.set(name, isOpen);
  states.value = next;
}

interface Stream {
  readonly followers: Set<Follower>;
  readonly end: () => void;
}

const streams = new Map<StreamName, Stream>();

/** The parts of a page that follow the same share one stream. */
function follow(name: StreamName, follower: Follower): () => void {
  const stream = streams.get(name) ?? opened(name);
  streams.set(name, stream);
  stream.followers.add(follower);
  return () => {
    stream.followers.delete(follower);
    if (stream.followers.size > 0) return;
    stream.end();
    streams.delete(name);
    setState(name, null);
  };
}

/**
 * The tabs of a session share one stream too, because the service allows a session few: the one that holds its lock reads it, and the others hear of it over a
 * channel. Where a browser has no locks, which it gives to addresses with https and of this machine alone, each tab has its own.
 */
function opened(name: StreamName): Stream {
  const followers = new Set<Follower>();
  const shared = `watchledger ${String(session.value?.account.id)} ${name}`;
  const channel = new BroadcastChannel(shared);
  const receive = (said: Shared): void => {
    if (said.kind === 'state') {
      setState(name, said.isOpen);
      return;
    }
    for (const { onMessage, onAgain } of followers)
      if (said.kind === 'again') onAgain();
      else onMessage(said.message);
  };
  const say = (said: Shared): void => {
    receive(said);
    channel.postMessage(said);
  };
  let leads = false;
  channel.onmessage = ({ data }: MessageEvent<Shared | 'state?'>) => {
    if (data !== 'state?') receive(data);
    else if (leads) channel.postMessage({ kind: 'state', isOpen: states.value.get(name) === true } satisfies Shared);
  };
  channel.postMessage('state?');
  const read = readerOf(name);
  const end = untilAborted(async (signal) => {
    const lead = async (): Promise<void> => {
      leads = true;
      try {
        await read(signal, say);
      } finally {
        leads = false;
        if (!signal.aborted) say({ kind: 'state', isOpen: false });
      }
    };
    // In a browser without locks it is missing, whatever its type says.
    const locks = navigator.locks as LockManager | undefined;
    if (locks === undefined) return lead();
    const isFree = await locks.request(shared, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await lead();
      return lock !== null;
    });
    if (isFree) return;
    await locks.request(shared, { signal }, () => {
      // Between two holders of the lock events were missed.
      say({ kind: 'again' });
      return lead();
    });
  });
  return {
    followers,
    end: () => {
      end();
      channel.close();
    },
  };
}

type Reader = (signal: AbortSignal, say: (said: Shared) => void) => Promise<void>;

const readerOf = (name: StreamName): Reader => {
  if (name !== 'all') return (signal, say) => readProject(name.slice('project '.length), signal, say);
  let position = 'now';
  return async (signal, say) => {
    const take = ({ events, position: read }: DataOf<'/events', 'get'>): void => {
      for (const { scope, type } of events)
        say({ kind: 'message', message: { type: 'change', projectId: scope.replace(/^project-/, ''), of: type } });
      position = read;
    };
    // Without a wait: the answer shows that the stream is open.
    take((await streaming.get('/events', { query: { after: position, type: TYPES }, signal })).data);
    say({ kind: 'state', isOpen: true });
    for await (const page of streaming.follow('/events', { after: position, type: TYPES, signal }).pages()) take(page);
  };
};

async function readProject(id: string, signal: AbortSignal, say: (said: Shared) => void): Promise<void> {
  const onConnection = (state: 'open' | 'lost'): void => say({ kind: 'state', isOpen: state === 'open' });
  for await (const message of service.live(id, { signal, onConnection })) say({ kind: 'message', message });
}

/** Follows while a visible page shows the present. What happened during a pause is read again. */
function useFollowed(name: StreamName, follower: Follower): void {
  const follows = shownInstant.value === null && !isSignedOut.value && isVisible.value;
  const hasBeen = useRef(false);
  const held = useRef(follower);
  held.current = follower;
  useEffect(() => {
    if (!follows) return undefined;
    if (hasBeen.current) held.current.onAgain();
    hasBeen.current = true;
    return follow(name, { onMessage: (message) => held.current.onMessage(message), onAgain: () => held.current.onAgain() });
  }, [name, follows]);
}

/** At most once a second, and not after the part of the page is gone. */
function useThrottled(work: () => void): () => void {
  const held = useRef(work);
  held.current = work;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      held.current();
    }, 1_000);
  };
}

/** Follows all projects while the page shows the present. */
export function useFollowedProjects({ onChange, onListChange }: ProjectChanges): void {
  const changed = useThrottled(onChange);
  const listed = useThrottled(onListChange);
  useFollowed('all', {
    onMessage: (message) => {
      if (message.type === 'change') (LIST_TYPES.includes(message.of) ? listed : changed)();
    },
    onAgain: listed,
  });
}

/** On every page: marks the rows and the bar of time. `project`: the only one that the page shows. */
export function useFollowedMarks(project: string | null): void {
  const changed = useThrottled(() => liveRound.value++);
  useFollowed('all', {
    onMessage: (message) => {
      if (message.type !== 'change') return;
      mark(message.projectId);
      if (project === null || project === message.projectId) changed();
    },
    onAgain: changed,
  });
}

export interface LiveProject {
  readonly onMessage: (message: LiveMessage) => void;
  /** What the page of the project shows may be different; at most once a second. */
  readonly onChange: () => void;
}

/** Follows one project while the page shows the present. */
export function useFollowedProject(id: string, { onMessage, onChange }: LiveProject): void {
  const changed = useThrottled(onChange);
  useFollowed(`project ${id}`, {
    onMessage: (message) => {
      if (message.type !== 'change') onMessage(message);
      changed();
    },
    onAgain: changed,
  });
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

import type { Bell, Wake } from '../../platform/postgres/wake.ts';
import { keyText, type SubscriptionKey } from './subscription.ts';

/** A bell that does not ring is waited for again after this time. */
const LISTEN_MS = 60_000;

interface Listeners {
  readonly all: Set<() => void>;
  readonly bell: Bell;
}

/** Notifies waiting readers that something may have become deliverable. */
export class SubscriptionChanges {
  private readonly known = new Map<string, Listeners>();

  constructor(private readonly wake: Pick<Wake, 'ring' | 'bell'>) {}

  /** Answers how to end listening. */
  listen(key: SubscriptionKey, listener: () => void): () => void {
    const text = keyText(key);
    const listeners = this.known.get(text) ?? this.open(text);
    listeners.all.add(listener);
    return () => {
      listeners.all.delete(listener);
      if (listeners.all.size > 0 || this.known.get(text) !== listeners) return;
      this.known.delete(text);
      listeners.bell.close();
    };
  }

  /** Notifies this process; readers of other instances read again within a second while something is in flight. */
  notify(key: SubscriptionKey): void {
    for (const listener of [...(this.known.get(keyText(key))?.all ?? [])]) listener();
  }

  /** Notifies every instance of a rare change, of which a reader of another instance would learn only at the end of its wait. */
  notifyEverywhere(key: SubscriptionKey): void {
    this.wake.ring(topicOf(keyText(key)));
  }

  private open(text: string): Listeners {
    const listeners = { all: new Set<() => void>(), bell: this.wake.bell(topicOf(text)) };
    this.known.set(text, listeners);
    void this.hear(text, listeners);
    return listeners;
  }

  /** Notifies the listeners until the bell is closed. */
  private async hear(text: string, listeners: Listeners): Promise<void> {
    while (this.known.get(text) === listeners)
      if (await listeners.bell.wait(LISTEN_MS)) for (const listener of [...listeners.all]) listener();
  }
}

const topicOf = (text: string): string => `subscription ${text}`;

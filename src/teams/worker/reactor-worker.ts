import { guardedPost, postToOperator } from '../../alerts/channels/post.ts';
import { upcast } from '../../events.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { WorkerCalls } from '../calls.ts';
import type { Reactor } from '../reactors/define-reactor.ts';
import type { Effects } from '../reactors/effects.ts';
import { EffectIds } from './effects/effect-ids.ts';
import { EffectsUnderWay } from './effects/effects-under-way.ts';
import { LiveEffects, type LiveEffectsOptions } from './effects/live-effects.ts';
import { OtherDatabases } from './effects/other-databases.ts';
import { RecordedEffects } from './effects/recorded-effects.ts';

type Given<Name extends keyof WorkerCalls> = WorkerCalls[Name]['given'];

/** Effects have shorter limits of their own. */
const HANDLER_MS = 60_000;

/** Runs the handlers of the reactors of one package, as the service asks for it. */
export class ReactorWorker {
  private live: Omit<LiveEffectsOptions, 'ids' | 'api' | 'signal'> | undefined;
  private readonly databases = new OtherDatabases();
  private readonly underWay = new Set<EffectsUnderWay>();

  constructor(private readonly reactors: readonly Reactor[]) {}

  allowEffects({ allowed, denied }: Given<'allowEffects'>): null {
    const guard = new SsrfGuard({ allowed, denied });
    this.live ??= { post: guardedPost(guard), postToService: postToOperator(), databases: this.databases };
    return null;
  }

  async react({ reactor: name, event, api }: Given<'react'>): Promise<null> {
    if (this.live === undefined) throw new Error('effects are not allowed yet');
    const signal = AbortSignal.timeout(HANDLER_MS);
    await this.run(name, event, new LiveEffects({ ...this.live, api, signal, ids: new EffectIds(name, event.id) }), signal);
    return null;
  }

  async rehearse({ reactor: name, event }: Given<'rehearse'>): Promise<WorkerCalls['rehearse']['result']> {
    const effects = new RecordedEffects(new EffectIds(name, event.id));
    await this.run(name, event, effects, AbortSignal.timeout(HANDLER_MS));
    return effects.recorded;
  }

  /** Whether an unhandled rejection is that of an effect, whose event fails. */
  noteUnhandled(error: unknown, promise: Promise<unknown>): boolean {
    return [...this.underWay].some((effects) => effects.noteUnhandled(error, promise));
  }

  noteHandled(promise: Promise<unknown>): void {
    for (const effects of this.underWay) effects.noteHandled(promise);
  }

  private async run(name: string, event: LogEvent, effects: Effects, signal: AbortSignal): Promise<void> {
    const reactor = this.of(name);
    const underWay = new EffectsUnderWay(effects);
    this.underWay.add(underWay);
    try {
      await withinTime(
        underWay.run((followed) => reactor.react(upcast(event), followed)),
        signal,
      );
    } finally {
      this.underWay.delete(underWay);
    }
  }

  private of(name: string): Reactor {
    const reactor = this.reactors.find((candidate) => candidate.name === name);
    if (reactor === undefined) throw new Error(`the package has no reactor ${name}`);
    return reactor;
  }
}

async function withinTime(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error(`the handler did not end within ${String(HANDLER_MS / 1_000)} s`));
    });
  });
  await Promise.race([work, late]);
}

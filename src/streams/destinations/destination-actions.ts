import type { DestinationKind } from './destination.settings.ts';
import { randomId } from '../../kernel/ids.ts';
import type { DestinationRow } from './destination.view.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import type { ParsedSettings, Transports } from '../../alerts/channels/channel.ts';
import { maskSecrets } from '../../alerts/sender/address-book.ts';
import { composeTest } from './batch.ts';
import { openValues } from './batch-push.ts';
import { kinds } from './kinds/kind-table.ts';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  AddDestination,
  ChangeDestination,
  PauseDestination,
  RemoveDestination,
  ReplayDestination,
  ResumeDestination,
} from './destination.commands.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { Log } from '../../platform/log/log.ts';
import { TryStore } from '../../accounts/tokens/try-store.ts';
import { RateLimited } from '../../platform/http/errors/refusals.ts';
import { requireKnownTypes } from '../../history/feed/feed-query.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { ScopeCheck } from '../../accounts/tokens/token-uses.ts';
import type { DestinationCaller } from './current-caller.ts';
import type { AddedDestinationAnswer, DestinationAnswer, DestinationTestAnswer, NewDestinationDto } from './destination.api.ts';
import { DestinationReading } from './destination-reading.ts';

/** Validates the settings of a destination, and sends it a batch without events. */
export class DestinationTest {
  constructor(
    private readonly guard: Pick<SsrfGuard, 'readUrl'>,
    private readonly keyring: Pick<Keyring, 'open'>,
    private readonly transports: Transports,
  ) {}

  parseSettings(kind: DestinationKind, given: Readonly<Record<string, unknown>>): ParsedSettings {
    return kinds[kind].parseSettings(given, this.guard);
  }

  async send(
    { destinationId, kind, values }: DestinationRow,
    baseUrl: string,
  ): Promise<{ readonly delivered: boolean; readonly answer: string }> {
    const settings = await openValues(this.keyring, values);
    if (settings === null) return { delivered: false, answer: 'its address cannot be read' };
    const batch = composeTest(randomId(), destinationId, this.transports.now(), baseUrl);
    const outcome = await kinds[kind].deliver(settings, batch, this.transports);
    const delivered = outcome.kind === 'delivered';
    return { delivered, answer: maskSecrets(delivered ? outcome.answer : outcome.reason, settings) };
  }
}

interface WantedSettings {
  readonly name: string;
  /** Absent when it stays. */
  readonly url?: string;
  readonly types: readonly string[];
  /** Only a destination of the installation has scopes. */
  readonly scopes?: readonly string[] | null;
}

/** Test batches per 15 minutes. */
const MAX_TESTS = 30;

/** What can be done to the destinations of a project, and to those of the installation. */
@Injectable()
export class DestinationActions {
  constructor(
    private readonly commands: CommandBus,
    private readonly reading: DestinationReading,
    private readonly test: DestinationTest,
    private readonly tries: TryStore,
    private readonly log: Log,
    @Inject(CONFIG) private readonly config: Config,
    private readonly scopes: ScopeCheck,
  ) {}

  async add(
    caller: DestinationCaller,
    { kind, name, url, types, scopes, from }: NewDestinationDto & { readonly scopes?: readonly string[] | null },
  ): Promise<AddedDestinationAnswer> {
    const { owner, context, principal } = this.allowed(caller);
    const wanted = { kind, ...this.settingsOf({ name, types, scopes: scopes ?? null }), ...this.addressOf(url) };
    const after = await this.positionBefore(from);
    const { destinationId, secret } = await this.commands.execute(
      new AddDestination(context, { owner, wanted: { ...wanted, after, by: principal.userId } }),
    );
    await context.waitUntilVisible();
    return { ...(await this.reading.read(owner, destinationId)), secret };
  }

  async change(caller: DestinationCaller, id: string, given: WantedSettings): Promise<DestinationAnswer> {
    const { owner, context, principal } = this.allowed(caller);
    const wanted = { ...this.settingsOf(given), ...(given.url === undefined ? {} : this.addressOf(given.url)) };
    await this.commands.execute(new ChangeDestination(context, { owner, destinationId: id, by: principal.userId, wanted }));
    return this.answer(caller, id);
  }

  async remove({ owner, context }: DestinationCaller, id: string): Promise<object> {
    await this.commands.execute(new RemoveDestination(context, { owner, destinationId: id }));
    return success;
  }

  async pause(caller: DestinationCaller, id: string): Promise<DestinationAnswer> {
    await this.commands.execute(new PauseDestination(caller.context, { owner: caller.owner, destinationId: id, reason: 'requested' }));
    return this.answer(caller, id);
  }

  async resume(caller: DestinationCaller, id: string): Promise<DestinationAnswer> {
    const { owner, context, principal } = this.allowed(caller);
    await this.commands.execute(new ResumeDestination(context, { owner, destinationId: id, by: principal.userId }));
    return this.answer(caller, id);
  }

  async replay(caller: DestinationCaller, id: string, from: string, scope: string | null): Promise<DestinationAnswer> {
    const { owner, context, principal } = this.allowed(caller);
    const after = await this.positionBefore(from);
    await this.commands.execute(
      new ReplayDestination(context, { owner, replay: { destinationId: id, after, scope, by: principal.userId } }),
    );
    return this.answer(caller, id);
  }

  /** Answers with the response of the receiver, also when it refused. */
  async sendTest(caller: DestinationCaller, id: string): Promise<DestinationTestAnswer> {
    const { owner } = this.allowed(caller);
    const row = await this.reading.row(owner, id);
    const key = `test destination ${id}`;
    if (!(await this.tries.recordAttempt(key, MAX_TESTS)))
      throw new RateLimited(Math.max(1, await this.tries.secondsToWait(new Map([[key, MAX_TESTS]]))), 'channel_tests');
    return this.test.send(row, `${this.config.publicUrl ?? 'http://localhost'}/api`);
  }

  /** Events leave through a destination: a narrowed token needs the scopes with which it could read them. */
  private allowed(caller: DestinationCaller): DestinationCaller {
    this.scopes.require(caller.principal, caller.owner === null ? ['feed', 'systemRead'] : ['feed']);
    return caller;
  }

  private settingsOf({ name, types, scopes }: Omit<WantedSettings, 'url'>) {
    requireKnownTypes(types, 'types');
    return { name, filter: { types: [...new Set(types)], scopes: scopes ?? null } };
  }

  private addressOf(url: string): { readonly host: string; readonly values: Readonly<Record<string, string>> } {
    const parsed = this.test.parseSettings('webhook', { url });
    if (!parsed.ok) throw new InvalidInput(parsed.reason);
    return { host: new URL(url).origin, values: parsed.settings };
  }

  private async positionBefore(from: string): Promise<number> {
    const head = await this.log.head();
    if (from === 'now') return head;
    if (Number(from) > head + 1)
      throw new InvalidInput(
        `from: is beyond the end of the log, ${String(head)}: it is the position of another log, or this one was restored`,
      );
    return Number(from) - 1;
  }

  private async answer({ owner, context }: DestinationCaller, id: string): Promise<DestinationAnswer> {
    await context.waitUntilVisible();
    return this.reading.read(owner, id);
  }
}

import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ConsoleAddresses } from '../../accounts/sessions/console-addresses.ts';
import { MailLimit } from '../../accounts/tokens/mail-limit.ts';
import { TryStore } from '../../accounts/tokens/try-store.ts';
import { ChangeProfile } from '../../accounts/account.commands.ts';
import { EndPreviousSecrets, RemoveChannel, SetChannel } from './channel.commands.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { ownOrigin } from '../../platform/config/own-origin.ts';
import { type NotificationChannel, notificationChannels } from '../preferences/preference.settings.ts';
import { DomainError, InvalidInput } from '../../kernel/errors.ts';
import { accountView } from '../../accounts/account.view.ts';
import { type ChannelSettings, channelView, channelRowTag, channelThing, emailChannelTag } from './channel.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { ChannelTest } from './channel-test.ts';
import { Links } from '../../accounts/links.ts';
import { ConfirmationDto } from '../../accounts/sign-in/authenticate.api.ts';
import { IfMatch } from '../../platform/http/conditions/if-match.ts';
import { CurrentContext, CurrentPrincipal, ShownSettings, type ShowTag } from '../../platform/http/context/decorators.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { NotFound, RateLimited } from '../../platform/http/errors/refusals.ts';
import { inUtc, success } from '../../platform/http/presentation/answers.ts';
import { isEmailAddress } from '../../platform/http/validation/fields.ts';
import { Needs, NeedsRecentSignIn } from '../../accounts/rights/needs.ts';
import { accountRight } from '../../accounts/rights/right.ts';
import type { ChannelAnswer, ChannelTestAnswer, SetChannelAnswer } from './channel.api.ts';
import { DAY_SECONDS } from '../../kernel/time.ts';

class ChannelNotSetUp extends DomainError {
  readonly code = 'CHANNEL_NOT_SET_UP';
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Per 15 minutes. */
const MAX_TESTS = { email: 10, other: 30 } as const;

/** The caller's notification channels (docs/spec/decisions.md#N5). Their addresses and keys are write-only. */
@Controller('account/channels')
export class ChannelController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
    private readonly channelTest: ChannelTest,
    @Inject(CONFIG) private readonly config: Config,
    private readonly tries: TryStore,
    private readonly links: Links,
    private readonly mailLimit: MailLimit,
    private readonly addresses: ConsoleAddresses,
  ) {}

  @Get()
  @Needs(accountRight)
  list(@CurrentPrincipal() { userId }: Principal): Promise<readonly object[]> {
    return Promise.all(notificationChannels.map((channel) => this.present(userId, channel)));
  }

  @Get(':channel')
  @Needs(accountRight)
  read(@CurrentPrincipal() { userId }: Principal, @Param('channel') name: string, @ShownSettings() show: ShowTag): Promise<object> {
    return this.present(userId, channelNamed(name), show);
  }

  @Put(':channel')
  @IfMatch(channelThing)
  @Needs(accountRight)
  @NeedsRecentSignIn()
  async set(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('channel') name: string,
    @Body() body: unknown,
  ): Promise<SetChannelAnswer> {
    const channel = channelNamed(name);
    const { password: _, ...given } = objectIn(body);
    if (channel === 'email') {
      const address = addressIn(given);
      await this.commands.execute(new ChangeProfile(context, { userId, wanted: { notificationEmail: address }, matchedAs: 'channel' }));
      await context.waitUntilVisible();
      const account = await this.views.now().get(accountView, String(userId));
      if (address !== null && account?.notificationEmailTrusted !== true) await this.links.offerNotification(userId, address);
      return this.present(userId, channel);
    }
    const read = this.channelTest.parseSettings(channel, given);
    if (!read.ok) throw new InvalidInput(read.reason);
    const secret = await this.commands.execute(
      new SetChannel(context, { userId, channel, settings: read.settings, overlapHours: this.config.webhookSecretHours }),
    );
    await context.waitUntilVisible();
    return { ...(await this.present(userId, channel)), ...(secret === null ? {} : { secret }) };
  }

  @Delete(':channel')
  @IfMatch(channelThing)
  @Needs(accountRight)
  @NeedsRecentSignIn()
  async remove(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('channel') name: string,
    @Body() _confirmation: ConfirmationDto,
  ): Promise<object> {
    const channel = channelNamed(name);
    if (channel === 'email')
      await this.commands.execute(new ChangeProfile(context, { userId, wanted: { notificationEmail: null }, matchedAs: 'channel' }));
    else await this.commands.execute(new RemoveChannel(context, { userId, channel }));
    return success;
  }

  /** Ends at once what signs beside the present secret. */
  @Delete(':channel/previous-secrets')
  @IfMatch(channelThing)
  @Needs(accountRight)
  @NeedsRecentSignIn()
  async endPrevious(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('channel') name: string,
    @Body() _confirmation: ConfirmationDto,
  ): Promise<object> {
    if (channelNamed(name) !== 'webhook') throw new NotFound('The channel has no secrets that sign.');
    await this.commands.execute(new EndPreviousSecrets(context, { userId, channel: 'webhook' }));
    return success;
  }

  /** Answers with the response of the channel, also when it refused the message. */
  @Post(':channel/test')
  @Needs(accountRight)
  @HttpCode(200)
  async test(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() { traceparent }: RequestContext,
    @Param('channel') name: string,
  ): Promise<ChannelTestAnswer> {
    const channel = channelNamed(name);
    await this.countTest(userId, channel);
    const mayMail = (address: string): Promise<boolean> => this.mailLimit.allows(address);
    const link = `${(await this.addresses.of(userId)) ?? ownOrigin(this.config)}/console`;
    const sent = await this.channelTest.send(userId, channel, { link, mayMail, traceparent });
    if (sent.kind === 'too many') throw new RateLimited(DAY_SECONDS);
    if (sent.kind === 'not set up') throw new ChannelNotSetUp(`The message was not sent: ${sent.reason}.`);
    return { channel, delivered: sent.delivered, answer: sent.answer };
  }

  /** A rate limit against flooding: the address may belong to another person, or the server to an operator who did not ask for it. */
  private async countTest(userId: number, channel: NotificationChannel): Promise<void> {
    const [key, most] =
      channel === 'email' ? [`test mail ${String(userId)}`, MAX_TESTS.email] : [`test ${channel} ${String(userId)}`, MAX_TESTS.other];
    if (await this.tries.recordAttempt(key, most)) return;
    throw new RateLimited(Math.max(1, await this.tries.secondsToWait(new Map([[key, most]]))), 'channel_tests');
  }

  private async present(userId: number, channel: NotificationChannel, show?: ShowTag): Promise<ChannelAnswer> {
    const views = this.views.now();
    if (channel === 'email') {
      const account = await views.get(accountView, String(userId));
      if (account !== null) show?.(emailChannelTag(userId, account));
      const address = account?.notificationEmail == null ? {} : { addressConfirmed: account.notificationEmailTrusted };
      return { channel, configured: this.config.smtpUrl !== undefined && account?.confirmed === true, setAt: null, ...address };
    }
    const row = await views.get(channelView, String(userId));
    show?.(channelRowTag(userId, channel, row));
    const kept = row?.byChannel[channel];
    const publicKey = channel === 'webPush' ? { publicKey: await this.channelTest.pushKey() } : {};
    const secrets = channel === 'webhook' ? { previousSecrets: previousSecretsIn(kept) } : {};
    return { channel, configured: kept !== undefined, setAt: kept === undefined ? null : inUtc(kept.setAt), ...publicKey, ...secrets };
  }
}

function previousSecretsIn(settings: ChannelSettings | undefined): NonNullable<ChannelAnswer['previousSecrets']> {
  const now = new Date().toISOString();
  const alive = settings?.previous.filter(({ until }) => until > now) ?? [];
  return alive.map(({ setAt, until }) => ({ setAt: inUtc(setAt), endsAt: inUtc(until) }));
}

function channelNamed(name: string): NotificationChannel {
  const channel = notificationChannels.find((known) => known === name);
  if (channel === undefined) throw new NotFound('The channel was not found.');
  return channel;
}

function objectIn(body: unknown): JsonObject {
  if (body === undefined || body === null) return {};
  if (typeof body !== 'object' || Array.isArray(body)) throw new InvalidInput('The body must be a JSON object.');
  return body as JsonObject; // no array, no null: checked above
}

/** Answers null when mail goes to the address of the account. */
function addressIn({ address, ...rest }: JsonObject): string | null {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new InvalidInput(`${unknown.slice(0, 40)}: is not a known field`);
  if (address === undefined || address === null || address === '') return null;
  if (!isEmailAddress(address)) throw new InvalidInput('address: must be an e-mail address');
  return address;
}

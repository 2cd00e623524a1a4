import { Body, Controller, Get, HttpCode, Inject, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../../platform/config/config.ts';
import { markup } from '../../../kernel/markup.ts';
import { InvalidInput } from '../../../kernel/errors.ts';
import { sendLinkPage } from '../../link-page.ts';
import { CurrentPrincipal } from '../../../platform/http/context/decorators.ts';
import type { Principal } from '../../../platform/http/context/principal.ts';
import { answerOf } from '../../../platform/http/errors/answer-of.ts';
import { success } from '../../../platform/http/presentation/answers.ts';
import { Needs } from '../../rights/needs.ts';
import { openRight, unconfirmedRight } from '../../rights/right.ts';
import { signInOriginOf } from '../sign-in-origin.ts';
import { tokenAnswer } from '../sign-in.ts';
import { TokenSigner } from '../token-signer.ts';
import { BeginProviderSignInDto, ConfirmSignInDto, ExchangeCodeDto } from './provider.api.ts';
import { type Finished, ProviderSignIn } from './provider-sign-in.ts';
import { metered, SignInMeter } from './sign-in-meter.ts';

/** docs/spec/decisions.md#A18. */
@Controller('authenticate')
export class ProviderController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly signIn: ProviderSignIn,
    private readonly meter: SignInMeter,
    private readonly signer: TokenSigner,
  ) {}

  @Get('providers')
  @Needs(openRight)
  providers(): object {
    const { signInProvider: provider } = this.config;
    return { providers: provider === undefined ? [] : [{ name: provider.name, path: '/api/authenticate/provider' }] };
  }

  @Get('provider')
  @Needs(openRight)
  async begin(@Query() { returnTo, challenge, confirm }: BeginProviderSignInDto, @Res() reply: FastifyReply): Promise<void> {
    if (returnTo !== undefined && challenge !== undefined)
      throw new InvalidInput('challenge: exactly one of returnTo and challenge is needed');
    const recipient = returnTo === undefined ? { challenge: challenge ?? '' } : { returnTo };
    const { url, cookie } = await metered(this.meter, 'provider', false, () => this.signIn.begin(recipient, confirm));
    await reply.header('set-cookie', cookie).redirect(url, 302);
  }

  /** Opened by the provider: a browser gets a page, also of a refusal. */
  @Get('provider/callback')
  @Needs(openRight)
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = new URLSearchParams(/\?(.*)$/s.exec(request.url)?.[1] ?? '');
    try {
      const finish = () => this.signIn.finish(query, request.headers.cookie);
      await this.deliver(await metered(this.meter, 'provider', false, finish), reply);
    } catch (error) {
      if (request.headers.accept?.includes('text/html') !== true) throw error;
      const { status, headers, body, unforeseen } = answerOf(error, request.id);
      if (unforeseen || !(error instanceof Error)) throw error;
      const text = markup`<p>${'message' in body ? String(body.message) : ''}</p>`;
      void reply.status(status).headers(headers);
      sendLinkPage(reply, { title: 'Not signed in', text, form: null });
    }
  }

  @Post('provider/token')
  @Needs(openRight)
  @HttpCode(200)
  async exchange(
    @Body() { code, verifier, exp }: ExchangeCodeDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const secret = this.signIn.secretOf(code, verifier ?? null, request.headers.cookie);
    const exchange = () => this.signIn.exchange(code, secret, exp ?? null, signInOriginOf(request));
    return tokenAnswer(this.signer, request, reply, await metered(this.meter, 'provider', true, exchange));
  }

  @Post('provider/confirm')
  @Needs(unconfirmedRight)
  @HttpCode(200)
  async confirm(
    @CurrentPrincipal() principal: Principal,
    @Body() { code, verifier }: ConfirmSignInDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    await this.signIn.confirm(principal, code, this.signIn.secretOf(code, verifier ?? null, request.headers.cookie));
    return success;
  }

  /** In the fragment, which no server sees and no log holds; or shown to a person, who hands it to the program that they started. */
  private async deliver({ recipient, code, cookies }: Finished, reply: FastifyReply): Promise<void> {
    void reply.header('set-cookie', [...cookies]);
    if ('returnTo' in recipient) {
      await reply.redirect(`${this.config.publicUrl ?? ''}${recipient.returnTo}#code=${code}`, 302);
      return;
    }
    const text = markup`<p>Enter this code in the program that you started, and nowhere else. It is valid for two minutes.</p><p><code>${code}</code></p>`;
    sendLinkPage(reply, { title: 'Signed in', text, form: null });
  }
}

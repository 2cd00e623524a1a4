import { createHmac, timingSafeEqual } from 'node:crypto';
import { Body, Controller, Get, Inject, Injectable, Param, Put, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { SwitchBadge } from '../badge/badge.commands.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { percentages } from '../../platform/observations/samples/report.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { OBJECT_ID } from '../../kernel/ids.ts';
import { badgeView, badgeTag, badgeThing } from '../badge/badge.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { UptimeReader } from '../../watches/uptime/uptime.reader.ts';
import { uptimeView } from '../../watches/uptime/uptime.view.ts';
import { IfMatch } from '../../platform/http/conditions/if-match.ts';
import { CurrentContext, ShownSettings, type ShowTag } from '../../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { baseUrlOf } from '../../platform/http/presentation/answers.ts';
import { labelledBadge } from '../../platform/http/presentation/labelled-badge.ts';
import { SwitchBadgeDto } from './charts.api.ts';
import { PICTURE_HEADERS, readTheme, type Theme } from './palette.ts';
import { percent } from './ticks.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { openRight, projectRight } from '../../accounts/rights/right.ts';

/** The unguessable key in the public link of a badge; a new one each time that the badge is published. */
@Injectable()
export class BadgeLinks {
  constructor(private readonly secrets: Secrets) {}

  async keyOf(projectId: string, serial: number): Promise<string> {
    const secret = await this.secrets.secret('object-ids');
    return createHmac('sha256', secret)
      .update(`badge ${projectId} ${String(serial)}`)
      .digest('hex')
      .slice(0, 32);
  }

  async matches(key: unknown, projectId: string, serial: number): Promise<boolean> {
    const [given, expected] = [Buffer.from(typeof key === 'string' ? key : ''), Buffer.from(await this.keyOf(projectId, serial))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

const SHOWN_MS = 30 * 86_400_000;

/** A public badge for embedding in other pages, as long as the owner publishes it. */
@Controller('project/:id')
export class BadgeController {
  private readonly clock: Clock = systemClock;

  constructor(
    private readonly commands: CommandBus,
    private readonly uptimes: UptimeReader,
    private readonly views: ViewsAt,
    private readonly links: BadgeLinks,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('badge')
  @Needs(projectRight('read'))
  read(@CurrentProject() { projectId }: ProjectAccess, @Req() request: FastifyRequest, @ShownSettings() show: ShowTag): Promise<object> {
    return this.linkOf(projectId, request, show);
  }

  @Put('badge')
  @IfMatch(badgeThing)
  @Needs(projectRight('owner'))
  async change(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentContext() context: RequestContext,
    @Body() { enabled }: SwitchBadgeDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    await this.commands.execute(new SwitchBadge(context, { projectId, published: enabled }));
    await context.waitUntilVisible();
    return this.linkOf(projectId, request);
  }

  @Get('badge.svg')
  @Needs(openRight)
  async picture(
    @Param('id') projectId: string,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const views = this.views.now();
    const published = OBJECT_ID.test(projectId) ? await views.get(badgeView, projectId) : null;
    if (published === null || !(await this.links.matches(query['key'], projectId, published.serial))) throw new NotFound();
    const [theme, now] = [readTheme(query), this.clock.now()];
    const { total } = await this.uptimes.totals(projectId, { from: now - SHOWN_MS, to: now, now, offsetMinutes: 0, excluded: [] });
    const known = total.upMs + total.downMs + total.timeoutMs > 0;
    const standing = await views.get(uptimeView, projectId);
    void reply
      .type('image/svg+xml; charset=utf-8')
      .headers({ ...PICTURE_HEADERS, 'cache-control': 'public, max-age=60', 'referrer-policy': 'no-referrer' });
    return badgeSvg({ state: standing?.state ?? 'unknown', up: known ? percentages(total).up : null, theme });
  }

  private async linkOf(projectId: string, request: FastifyRequest, show?: ShowTag): Promise<object> {
    const published = await this.views.now().get(badgeView, projectId);
    show?.(badgeTag(projectId, published?.serial ?? null));
    if (published === null) return { enabled: false, url: null };
    return {
      enabled: true,
      url: `${baseUrlOf(request, this.config)}/project/${projectId}/badge.svg?key=${await this.links.keyOf(projectId, published.serial)}`,
    };
  }
}

interface BadgeFacts {
  readonly state: 'unknown' | 'up' | 'down' | 'timeout';
  /** Percent of the last 30 days; null while nothing is known. */
  readonly up: number | null;
  readonly theme: Theme;
}

/** The state and uptime of a site as a small SVG. */
export function badgeSvg({ state, up, theme }: BadgeFacts): string {
  const label = 'uptime 30 d';
  const failing = state === 'down' || state === 'timeout';
  const value = failing
    ? `${state === 'down' ? 'down' : 'timeout'}${up === null ? '' : `, ${percent(up)}`}`
    : up === null
      ? 'unknown'
      : percent(up);
  const tone = failing ? 'bad' : up === null ? 'unknown' : up >= 99.5 ? 'good' : up >= 97 ? 'fair' : 'bad';
  return labelledBadge({ label, value, tone, theme });
}

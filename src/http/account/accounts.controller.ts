import { Body, Controller, Get, Inject, Param, Put, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EmailDirectory } from '../../security/email-directory.ts';
import { AdministerAccount } from '../../commands/account.commands.ts';
import { PLANS, type Plans } from '../../domain/account/plan.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { type AccountRow, accountView } from '../../projections/read-models/account/account.view.ts';
import { type ListItem, readableOf, VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { CurrentContext, CurrentPrincipal } from '../context/decorators.ts';
import type { Principal } from '../context/principal.ts';
import type { RequestContext } from '../context/request-context.ts';
import { NotFound } from '../errors/refusals.ts';
import { decodeCursor, encodeCursor } from '../presentation/page.ts';
import { unreadable } from '../presentation/answers.ts';
import { AdministerDto, ListAccountsDto } from './account.dto.ts';
import { People, presentAccount } from './person.ts';
import { Needs, NeedsRecentSignIn } from '../rights/needs.ts';
import { systemAdmin } from '../rights/right.ts';

const USER_ID = /^[1-9]\d{0,9}$/;

/** Accounts as administrators see them (docs/spec/beyond.md#B1). */
@Controller('accounts')
export class AccountsController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(PLANS) private readonly plans: Plans,
    @Inject(EmailDirectory) private readonly directory: EmailDirectory,
    @Inject(People) private readonly people: People,
  ) {}

  @Get()
  @Needs(systemAdmin)
  async list(@CurrentPrincipal() { userId }: Principal, @Query() { limit, cursor, search }: ListAccountsDto): Promise<object> {
    const after = cursor === undefined ? 0 : decodeCursor(cursor, readPosition);
    const items = search === undefined || search === '' ? await this.page(after, limit + 1) : await this.search(search);
    const page = items.slice(0, limit);
    const { rows, parked } = readableOf(page);
    const accounts = await Promise.all(rows.map(async (row) => presentAccount(await this.people.open(row, userId))));
    const nextCursor = items.length > limit ? encodeCursor({ after: page.at(-1)?.row.userId }) : null;
    return { accounts, nextCursor, ...unreadable('account', parked) };
  }

  @Put(':userId')
  @Needs(systemAdmin)
  @NeedsRecentSignIn()
  async administer(
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Param('userId') userId: string,
    @Body() { plan, systemRole }: AdministerDto,
  ): Promise<object> {
    if (!USER_ID.test(userId)) throw new NotFound();
    if (plan !== undefined && !this.plans.has(plan)) throw new InvalidInput(`plan: must be one of ${[...this.plans.keys()].join(', ')}`);
    const wanted = { ...(plan === undefined ? {} : { plan }), ...(systemRole === undefined ? {} : { systemRole }) };
    await this.commands.execute(new AdministerAccount(context, Number(userId), wanted));
    await context.waitUntilVisible();
    const row = await this.views.now().get(accountView, userId);
    if (row === null) throw new NotFound();
    return presentAccount(await this.people.open(row, caller.userId));
  }

  private page(after: number, limit: number): Promise<readonly ListItem<AccountRow>[]> {
    const where = { number: { atLeast: after + 1 } };
    return this.views.now().list(accountView, { where, order: { by: 'number' }, limit, parked: 'as before' });
  }

  private async search(search: string): Promise<readonly ListItem<AccountRow>[]> {
    const userId = USER_ID.test(search) ? Number(search) : await this.directory.userIdOf(search);
    const row = userId === null ? null : await this.views.now().get(accountView, String(userId));
    return row === null ? [] : [{ key: String(userId), row }];
  }
}

const readPosition = (value: unknown): number | null =>
  typeof value === 'object' && value !== null && 'after' in value && Number.isSafeInteger(value.after) ? Number(value.after) : null;

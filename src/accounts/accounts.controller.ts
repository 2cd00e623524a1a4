import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EmailDirectory } from './email-directory.ts';
import { AdministerAccount } from './account.commands.ts';
import { tokenScopes } from './token-scopes.ts';
import { Plans } from './plan.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { type AccountRow, accountView } from './account.view.ts';
import { type ListItem, readableOf, ViewsAt } from '../platform/read-models/views/views.ts';
import { CurrentContext, CurrentList, CurrentPrincipal } from '../platform/http/context/decorators.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { NotFound } from '../platform/http/errors/refusals.ts';
import { ListPage, type ListRequest, readSort } from '../platform/http/lists/list.ts';
import { pageOfView, type ViewPage } from '../platform/read-models/views/view-page.ts';
import { unreadable } from '../platform/http/presentation/answers.ts';
import { AdministerDto } from './account.api.ts';
import { People, presentAccount } from './person.ts';
import { Needs, NeedsRecentSignIn } from './rights/needs.ts';
import { systemPeople } from './rights/right.ts';
import { ScopeCheck } from './tokens/token-uses.ts';

const USER_ID = /^[1-9]\d{0,9}$/;

/** Accounts as administrators see them (docs/spec/beyond.md#B1). */
@Controller('accounts')
export class AccountsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
    private readonly plans: Plans,
    private readonly directory: EmailDirectory,
    private readonly people: People,
    private readonly scopes: ScopeCheck,
  ) {}

  @Get()
  @Needs(systemPeople)
  async list(@CurrentPrincipal() { userId }: Principal, @CurrentList() request: ListRequest): Promise<ListPage> {
    const { items, end } = request.search === null ? await this.page(request) : { items: await this.search(request.search), end: null };
    const { rows, parked } = readableOf(items);
    const accounts = await Promise.all(rows.map(async (row) => presentAccount(await this.people.open(row, userId))));
    return new ListPage({ accounts, ...unreadable('account', parked) }, end);
  }

  @Put(':userId')
  @Needs(systemPeople)
  @NeedsRecentSignIn()
  async administer(
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Param('userId') userId: string,
    @Body() { plan, systemRole }: AdministerDto,
  ): Promise<object> {
    if (!USER_ID.test(userId)) throw new NotFound();
    if (plan !== undefined && !this.plans.has(plan))
      throw new InvalidInput(`plan: must be one of ${[...this.plans.keys()].join(', ')}`, { allowed: [...this.plans.keys()] });
    // A system role comes with rights in every project and beyond.
    if (systemRole !== undefined && systemRole !== null) this.scopes.require(caller, tokenScopes);
    const wanted = { ...(plan === undefined ? {} : { plan }), ...(systemRole === undefined ? {} : { systemRole }) };
    await this.commands.execute(new AdministerAccount(context, { userId: Number(userId), wanted }));
    await context.waitUntilVisible();
    const row = await this.views.now().get(accountView, userId);
    if (row === null) throw new NotFound();
    return presentAccount(await this.people.open(row, caller.userId));
  }

  private page({ limit, after, sort }: ListRequest): Promise<ViewPage<AccountRow>> {
    const order = { by: 'number', direction: readSort(sort).direction } as const;
    return pageOfView(this.views.now(), accountView, { order, parked: 'as before' }, limit, after);
  }

  private async search(search: string): Promise<readonly ListItem<AccountRow>[]> {
    const userId = USER_ID.test(search) ? Number(search) : await this.directory.userIdOf(search);
    const row = userId === null ? null : await this.views.now().get(accountView, String(userId));
    return row === null ? [] : [{ key: String(userId), row }];
  }
}

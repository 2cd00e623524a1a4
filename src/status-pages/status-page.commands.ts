import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../platform/commands/command-of.ts';
import { newObjectId } from '../platform/commands/object-ids.ts';
import { projectsOf, type StatusPageSettings, type StoredStatusPage } from './status-page.settings.ts';
import { changeStatusPage, createStatusPage, deleteStatusPage, required, setHosts, statusPagesTarget } from './status-page.decider.ts';
import type { Sealed } from '../kernel/event.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { hashPassword } from '../accounts/passwords/passwords.ts';
import { CommandRunner, TooContended } from '../platform/commands/command-runner.ts';
import { requireMatch } from '../platform/commands/precondition.ts';
import { statusPageTagIn } from './status-page.view.ts';

/** The hash is sealed: an event holds neither a password nor what it could be guessed from. */
const sealedHash = async (keyring: Keyring, password: string): Promise<Sealed> =>
  keyring.seal(statusPagesTarget.scope, await hashPassword(password));

/** Answers the id of the page. */
export class CreateStatusPage extends CommandOf<
  {
    by: number;
    settings: StatusPageSettings;
    /** In the clear; null: none. */
    password: string | null;
    /** Pages that one account may have created. */
    most: number;
  },
  string
> {}

@CommandHandler(CreateStatusPage)
export class CreateStatusPageHandler implements ICommandHandler<CreateStatusPage> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
  ) {}

  async execute({ context, fields: { by, settings, password: given, most } }: CreateStatusPage): Promise<string> {
    const pageId = await newObjectId(this.secrets, context);
    const password = given === null ? null : await sealedHash(this.keyring, given);
    await this.runner.run(statusPagesTarget, context, (pages) => createStatusPage(pages, { pageId, ...settings, password, by }, most));
    return pageId;
  }
}

export class ChangeStatusPage extends CommandOf<{
  pageId: string;
  by: number;
  settings: StatusPageSettings;
  /** In the clear; undefined: it stays, null: it is removed. */
  password: string | null | undefined;
  /** Projects that the caller may edit: the page is changed only while it shows no other. */
  editable: ReadonlySet<string>;
}> {}

@CommandHandler(ChangeStatusPage)
export class ChangeStatusPageHandler implements ICommandHandler<ChangeStatusPage> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
  ) {}

  async execute({ context, fields: { pageId, by, settings, password, editable } }: ChangeStatusPage): Promise<void> {
    const sealed = typeof password === 'string' ? await sealedHash(this.keyring, password) : password;
    await this.runner.run(statusPagesTarget, context, (pages) => {
      requireSameProjects(required(pages, pageId), editable);
      requireMatch(context, () => statusPageTagIn(pageId, pages));
      return changeStatusPage(pages, pageId, (before) => ({ ...settings, by, password: sealed === undefined ? before.password : sealed }));
    });
  }
}

export class SetStatusPageHosts extends CommandOf<{ pageId: string; hosts: readonly string[] }> {}

@CommandHandler(SetStatusPageHosts)
export class SetStatusPageHostsHandler implements ICommandHandler<SetStatusPageHosts> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { pageId, hosts } }: SetStatusPageHosts): Promise<void> {
    await this.runner.run(statusPagesTarget, context, (pages) => setHosts(pages, pageId, hosts));
  }
}

export class DeleteStatusPage extends CommandOf<{ pageId: string }> {}

@CommandHandler(DeleteStatusPage)
export class DeleteStatusPageHandler implements ICommandHandler<DeleteStatusPage> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { pageId } }: DeleteStatusPage): Promise<void> {
    await this.runner.run(statusPagesTarget, context, (pages) => {
      required(pages, pageId);
      requireMatch(context, () => statusPageTagIn(pageId, pages));
      return deleteStatusPage(pages, pageId);
    });
  }
}

/** The caller's rights were checked for the projects that the read model showed. */
function requireSameProjects(page: StoredStatusPage, editable: ReadonlySet<string>): void {
  if (projectsOf(page).some((projectId) => !editable.has(projectId)))
    throw new TooContended('the status page was changed at the same time; try again');
}

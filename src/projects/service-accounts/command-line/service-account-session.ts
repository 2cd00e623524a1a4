import type { Parts } from '../../../app/parts.ts';
import { type CommandContext, systemContext } from '../../../platform/commands/context.ts';
import type { ServiceAccountManager } from '../service-account.commands.ts';
import type { Config } from '../../../platform/config/config.ts';
import { ownerScope } from '../../../kernel/stream-names.ts';
import { OBJECT_ID } from '../../../kernel/ids.ts';
import { StartRefused } from '../../../kernel/start-refused.ts';
import { installationServiceAccountView, type KnownServiceAccount, serviceAccountView } from '../service-account.view.ts';
import { type CliInput, type CliOutput, WrongUse } from '../../../platform/cli/command.ts';
import { withParts } from '../../../app/with-parts.ts';

export const PROJECT = {
  project: { type: 'string', value: 'ID', about: 'of this project (default: of the installation)' },
} as const;

/** Dependencies of the commands of service accounts. */
export interface ServiceAccountSession {
  readonly parts: Parts;
  readonly manager: ServiceAccountManager;
  readonly context: () => CommandContext;
  readonly all: () => Promise<readonly KnownServiceAccount[]>;
  /** Throws `StartRefused` for an unknown one. */
  readonly find: (id: string) => Promise<KnownServiceAccount>;
}

export function withServiceAccounts(
  input: CliInput,
  config: Config,
  output: CliOutput,
  work: (session: ServiceAccountSession) => Promise<number>,
): Promise<number> {
  const owner = input.text('project') ?? null;
  if (owner !== null && !OBJECT_ID.test(owner)) throw new WrongUse(`--project: '${owner}' is not the id of a project`);
  return withParts(config, output, (parts) => {
    // Folded from the log: complete also when no service runs that would fill the tables.
    const all = async (): Promise<readonly KnownServiceAccount[]> => {
      const view = owner === null ? installationServiceAccountView : serviceAccountView;
      const items = await parts.views.asOf(await parts.log.head()).list(view, { scope: ownerScope(owner) });
      return items.flatMap(({ row }) => row.accounts);
    };
    return work({
      parts,
      manager: { owner, by: null },
      context: () => systemContext({ kind: 'cli', id: 'service-accounts' }, Date.now()),
      all,
      find: async (id) => {
        const account = (await all()).find((one) => one.id === id);
        if (account === undefined) throw new StartRefused(`service account not found: ${id}`);
        return account;
      },
    });
  });
}

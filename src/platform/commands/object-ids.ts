import type { Secrets } from '../security/keyring/secrets.ts';
import type { CommandContext } from './context.ts';
import { derivedObjectId } from '../../kernel/ids.ts';

type CommandIdentity = Pick<CommandContext, 'commandId'>;

/** The ids of the objects that a command makes, by their order: a repeat makes the same ones. */
export async function objectIds(secrets: Secrets, { commandId }: CommandIdentity): Promise<(ordinal: number) => string> {
  const secret = await secrets.secret('object-ids');
  return (ordinal) => derivedObjectId(secret, commandId, ordinal);
}

export const newObjectId = async (secrets: Secrets, command: CommandIdentity, ordinal = 0): Promise<string> =>
  (await objectIds(secrets, command))(ordinal);

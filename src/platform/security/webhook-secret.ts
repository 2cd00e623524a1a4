import { createHmac } from 'node:crypto';
import type { Secrets } from './keyring/secrets.ts';

/** A signing secret of Standard Webhooks: a new one for each command, the same when the command is repeated. */
export async function webhookSecretOf(secrets: Secrets, commandId: string): Promise<string> {
  const key = createHmac('sha256', await secrets.secret('object-ids'))
    .update(`webhook secret ${commandId}`)
    .digest();
  return `whsec_${key.toString('base64')}`;
}

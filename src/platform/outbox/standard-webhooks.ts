import { createHmac } from 'node:crypto';
import type { Secrets } from '../security/keyring/secrets.ts';

/** A signing secret of Standard Webhooks: a new one for each command, the same when the command is repeated. */
export async function webhookSecretOf(secrets: Secrets, commandId: string): Promise<string> {
  const key = createHmac('sha256', await secrets.secret('object-ids'))
    .update(`webhook secret ${commandId}`)
    .digest();
  return `whsec_${key.toString('base64')}`;
}

const PREFIX = 'whsec_';

/** Standard Webhooks: a signature covers id, timestamp and body; a retry keeps the id. Several, one for each secret, are separated by spaces. */
export function signed(secrets: readonly string[], id: string, timestamp: number, body: string): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key)
      .update(`${id}.${String(timestamp)}.${body}`)
      .digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}

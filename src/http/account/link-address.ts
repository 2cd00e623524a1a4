import type { LinkPurpose } from '../../security/tokens/link-store.ts';
import type { Config } from '../../config.ts';

const PAGE: Readonly<Record<LinkPurpose, string>> = { confirm: 'confirm', password: 'password/reset' };

/** From the configuration alone: the host that a request names could be anybody's. */
export function linkTo(
  { publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>,
  purpose: LinkPurpose,
  token: string,
): string {
  const base = publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  return `${base}/api/account/${PAGE[purpose]}?token=${token}`;
}

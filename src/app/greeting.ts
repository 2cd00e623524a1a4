import { linkAt } from '../accounts/link-address.ts';
import type { FirstAccount } from '../accounts/first-account.ts';

/** Printed at the first start, and while its link is unused, to the console and not to the log, which must contain neither a password nor the link. */
export function greeting(address: string, { email, password, made, link }: FirstAccount): string {
  const signIn = link === null ? [] : ['Sign in to the console (once, within 24 hours):', `  ${linkAt(address, 'sign-in', link)}`];
  const lines = [...signIn, `Watchledger is ready on ${address}`, `  docs      ${address}/docs`, `  account   ${email}`];
  if (made) lines.push(password === null ? '  password  as set in ADMIN_PASSWORD' : `  password  ${password}   (shown only this once)`);
  if (password !== null) lines.push('A first request:', `  ${firstRequest(address, email, password)}`);
  return `${lines.join('\n')}\n`;
}

/** A shell command that signs in and lists the projects. */
function firstRequest(address: string, email: string, password: string): string {
  const credentials = JSON.stringify({ email, password }).replaceAll("'", String.raw`'\''`);
  const signIn = `curl -s ${address}/api/authenticate -H 'Content-Type: application/json' -d '${credentials}'`;
  return `curl -s ${address}/api/projects -H "Authorization: Bearer $(${signIn})"`;
}

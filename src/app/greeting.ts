import type { FirstAccount } from './first-account.ts';

/** What somebody needs who has just started it for the first time. On the console, beside the log: a password never stands in a log. */
export function greeting(address: string, { email, password, made }: FirstAccount): string {
  const lines = [`Watchledger is ready on ${address}`, `  docs      ${address}/docs`, `  account   ${email}`];
  if (made) lines.push(password === null ? '  password  the one of ADMIN_PASSWORD' : `  password  ${password}   (shown only this once)`);
  if (password !== null) lines.push('A first request:', `  ${firstRequest(address, email, password)}`);
  return `${lines.join('\n')}\n`;
}

/** One line for a shell: signs in, and lists the projects with the token. */
function firstRequest(address: string, email: string, password: string): string {
  const credentials = JSON.stringify({ email, password }).replaceAll("'", String.raw`'\''`);
  const signIn = `curl -s ${address}/api/authenticate -H 'Content-Type: application/json' -d '${credentials}'`;
  return `curl -s ${address}/api/projects -H "Authorization: Bearer $(${signIn})"`;
}

/** Of the environment of the service, what the process of a package gets, too: nothing that is a secret of ours. */
const SHARED = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'NODE_ENV',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
] as const;

/** An allow-list; `more` are the names of `TEAM_ENV`, for settings of the package itself. */
export function childEnvironment(env: Readonly<NodeJS.ProcessEnv>, more: readonly string[]): Record<string, string> {
  const found = [...SHARED, ...more].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

/** `postgres://user:password@` · `host:port,host:port` · `/database?…` */
const SHAPE = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/;

/** The address of each host of a libpq URL that may name several, for one that takes writes. */
export function hostUrls(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = SHAPE.exec(url) ?? [];
  if (!hosts.includes(',')) return [url];
  return hosts.split(',').map((host) => {
    const own = new URL(`${before}${host}${after}`);
    own.searchParams.delete('target_session_attrs');
    return own.href;
  });
}

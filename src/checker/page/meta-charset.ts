import { scanHtml } from './html-scanner.ts';

const IN_CONTENT = /charset\s*=\s*(?:["']\s*)?([^\s;"']+)/i;

/** The first declaration in a page that says something, `head` being its beginning read byte by byte. */
export function metaCharset(head: string, isCharset: (label: string) => boolean): string | undefined {
  let found: string | undefined;
  scanHtml(head, {
    attributesOf: new Set(['meta']),
    open: (name, attributes) => {
      if (name !== 'meta' || found !== undefined) return;
      const content = attributes.get('http-equiv')?.toLowerCase() === 'content-type' ? attributes.get('content') : undefined;
      const label = attributes.get('charset') ?? (content === undefined ? undefined : IN_CONTENT.exec(content)?.[1]);
      if (label !== undefined && isCharset(label)) found = label;
    },
  });
  return found;
}

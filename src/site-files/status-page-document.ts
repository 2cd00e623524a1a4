import { draftsOnly, itemsOf, noColors, noWords } from '../status-pages/status-page.settings.ts';
import type { StatusPageRow } from '../status-pages/status-page.view.ts';
import { differing, References, type SiteDocument, unlessEmpty } from './site-document.ts';
import type { ItemReference } from './status-page-items.ts';

/** The smallest document that gives the same page, with a reference for its password. `spelled`: its items, in their order. */
export function statusPageDocument(
  { settings, password }: Pick<StatusPageRow, 'settings' | 'password'>,
  spelled: readonly ItemReference[],
): { readonly document: SiteDocument; readonly references: readonly string[] } {
  const references = new References();
  const { slug, title, access, languages, words, colors, automatic } = settings;
  const items = itemsOf(settings);
  const document = {
    ...{ slug, title },
    ...differing({ access, languages }, { access: 'public', languages: ['en'] }),
    ...(password === null ? {} : { password: references.of('status page', slug, 'password') }),
    ...unlessDefault('words', words, noWords),
    ...unlessDefault('colors', colors, noColors),
    ...unlessDefault('automatic', automatic, draftsOnly),
    groups: settings.groups.map((group) => ({
      ...(group.name === '' ? {} : { name: group.name }),
      items: group.items.map((item) => ({ name: item.name, ...spelled[items.indexOf(item)] })),
    })),
  };
  return { document: { statusPage: document }, references: references.names };
}

function unlessDefault(name: string, value: object, initial: object): SiteDocument {
  const own = unlessEmpty(differing(value, initial));
  return own === undefined ? {} : { [name]: own };
}

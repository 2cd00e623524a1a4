import { scanHtml } from '../page/html-scanner.ts';

const MOST_ELEMENTS = 50_000;
const DEEPEST = 1_000;

/** Elements that end without an end tag: many of them in a row are siblings. */
const ENDS_BY_ITSELF = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr html head body p li dt dd tr td th thead tbody tfoot colgroup option optgroup ' +
    'rp rt script style title textarea path circle rect line polygon polyline ellipse use stop'
  ).split(' '),
);
const NO_ATTRIBUTES: ReadonlySet<string> = new Set();

/** Why a page is too much for a tree, or null; found without building one. */
export function tooMuchForTree(html: string): string | null {
  let elements = 0;
  let depth = 0;
  let deepest = 0;
  scanHtml(html, {
    attributesOf: NO_ATTRIBUTES,
    open: (name) => {
      elements++;
      if (!ENDS_BY_ITSELF.has(name)) deepest = Math.max(deepest, ++depth);
    },
    close: (name) => {
      if (!ENDS_BY_ITSELF.has(name) && depth > 0) depth--;
    },
  });
  if (deepest > DEEPEST) return `the page is nested more than ${String(DEEPEST)} deep`;
  return elements > MOST_ELEMENTS ? `the page has more than ${String(MOST_ELEMENTS)} elements` : null;
}

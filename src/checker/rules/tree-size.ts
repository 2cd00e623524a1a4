import { scanHtml } from '../page/html-scanner.ts';

const MAX_ELEMENTS = 50_000;
const MAX_DEPTH = 1_000;

/** Elements that may lack an end tag: many of them in a row are siblings. */
const OPTIONAL_END_TAG = new Set(
  (
    'area base br col embed hr img input link meta param source track wbr html head body p li dt dd tr td th thead tbody tfoot colgroup option optgroup ' +
    'rp rt script style title textarea path circle rect line polygon polyline ellipse use stop'
  ).split(' '),
);
const NO_ATTRIBUTES: ReadonlySet<string> = new Set();

/** Why a page is too large for a tree, or null; determined without building one. */
export function tooMuchForTree(html: string, maxElements = MAX_ELEMENTS): string | null {
  let elements = 0;
  let depth = 0;
  let deepest = 0;
  scanHtml(html, {
    attributesOf: NO_ATTRIBUTES,
    open: (name) => {
      elements++;
      if (!OPTIONAL_END_TAG.has(name)) deepest = Math.max(deepest, ++depth);
    },
    close: (name) => {
      if (!OPTIONAL_END_TAG.has(name) && depth > 0) depth--;
    },
  });
  if (deepest > MAX_DEPTH) return `the page is nested more than ${String(MAX_DEPTH)} deep`;
  return elements > maxElements ? `the page has more than ${String(maxElements)} elements` : null;
}

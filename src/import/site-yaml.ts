import { Document, isMap, isScalar, visit } from 'yaml';
import type { ImportedSite } from './imported-site.ts';
import type { ImportedStatusPage } from './imported-status-page.ts';

/** A site or a status page as a file: fields in the order of its document, a rule, a window and an item on a line. */
export function siteYaml(site: ImportedSite | ImportedStatusPage, comment: string): string {
  const document = new Document(site);
  document.commentBefore = ` ${comment}`;
  visit(document, {
    Map: (_, node) => {
      if (node.has('op') && node.has('val')) node.flow = true;
      if ((node.has('from') && node.has('to')) || node.has('project')) node.flow = true;
    },
    Pair: (_, { key, value }) => {
      if (String(key) === 'httpAuth' && isMap(value)) value.flow = true;
      const isNumber = /^(?:val|uptimeEnabled)$/.test(String(key)) && isScalar(value) && /^(?:0|[1-9]\d{0,9})$/.test(String(value.value));
      if (isNumber) value.value = Number(value.value);
    },
  });
  return document.toString({ lineWidth: 0 });
}

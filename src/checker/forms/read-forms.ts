import { createHash } from 'node:crypto';
import { JSDOM } from 'jsdom';
import type { FormField, FormsTask, FoundForm } from './found-form.ts';
import { isUrl } from '../../kernel/url.ts';

const LONGEST_HTML = 16 * 1024;
const MOST_FORMS = 50;
const MOST_FIELDS = 500;

function identifierOf(form: HTMLFormElement, place: number): string {
  const id = form.getAttribute('id')?.trim();
  const name = form.getAttribute('name')?.trim();
  return [id, name].find((text) => text !== undefined && text !== '') ?? `#${String(place + 1)}`;
}

/** The first button that would submit the form, which is what the Enter key presses. */
function defaultButton(form: HTMLFormElement): HTMLElement | undefined {
  for (const control of form.ownerDocument.querySelectorAll<HTMLInputElement | HTMLButtonElement>('input, button')) {
    if (control.form === form && !control.disabled && (control.type === 'submit' || control.type === 'image')) return control;
  }
  return undefined;
}

const isHidden = (form: HTMLFormElement, name: string): boolean =>
  [...form.elements].some(
    (control) =>
      control.getAttribute('name') === name && control.tagName === 'INPUT' && control.getAttribute('type')?.toLowerCase() === 'hidden',
  );

function fieldsOf(form: HTMLFormElement, { FormData }: JSDOM['window']): FormField[] {
  const button = defaultButton(form);
  const data = button === undefined ? new FormData(form) : new FormData(form, button);
  return [...data.entries()]
    .slice(0, MOST_FIELDS)
    .map(([name, value]) => ({ name, value: typeof value === 'string' ? value : '', hidden: isHidden(form, name) }));
}

function checksumOf(form: HTMLFormElement): string {
  const copy = form.cloneNode(true) as HTMLFormElement;
  for (const control of copy.querySelectorAll('input')) if (control.type === 'hidden') control.removeAttribute('value');
  return createHash('sha256').update(copy.outerHTML.replace(/\s+/g, ' ')).digest('hex');
}

const relativeTo = (page: string, action: string): string => {
  const { origin, pathname, search } = new URL(action);
  return origin === new URL(page).origin ? `${pathname}${search}` : action;
};

/** A form without an action is sent to its own page; so is one whose action is no URL. */
const resolved = (form: HTMLFormElement, written: string, url: string): string => {
  const base = form.ownerDocument.baseURI;
  if (written.trim() === '') return url;
  return isUrl(written, base) ? new URL(written, base).href : url;
};

/** Every form of a page. No script runs, nothing is loaded: jsdom is here for what a browser would send. */
export function readForms({ html, url }: FormsTask): FoundForm[] {
  const { window } = new JSDOM(html, { url });
  try {
    return [...window.document.forms].slice(0, MOST_FORMS).map((form, place): FoundForm => {
      const originalAction = form.getAttribute('action') ?? '';
      const action = resolved(form, originalAction, url);
      return {
        identifier: identifierOf(form, place),
        method: form.getAttribute('method')?.trim().toLowerCase() === 'post' ? 'POST' : 'GET',
        encoding: encodingOf(form.enctype),
        action,
        originalAction,
        relativeAction: relativeTo(url, action),
        baseUrl: url,
        fields: fieldsOf(form, window),
        hasPassword: form.querySelector('input[type=password]') !== null,
        html: form.outerHTML.slice(0, LONGEST_HTML),
        checksum: checksumOf(form),
      };
    });
  } finally {
    window.close();
  }
}

const encodingOf = (enctype: string): FoundForm['encoding'] =>
  enctype === 'multipart/form-data' || enctype === 'text/plain' ? enctype : 'application/x-www-form-urlencoded';

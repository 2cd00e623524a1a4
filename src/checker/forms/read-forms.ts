import { createHash } from 'node:crypto';
import { JSDOM } from 'jsdom';
import type { FormField, FormsTask, FoundForm } from './found-form.ts';
import { encodingOf } from '../page/charset.ts';
import { sentAs } from '../page/encode-text.ts';
import { isUrl } from '../../kernel/url.ts';

const MAX_HTML = 16 * 1024;
const MAX_FORMS = 50;
const MAX_FIELDS = 500;

function identifierOf(form: HTMLFormElement, place: number): string {
  const id = form.getAttribute('id')?.trim();
  const name = form.getAttribute('name')?.trim();
  return [id, name].find((text) => text !== undefined && text !== '') ?? `#${String(place + 1)}`;
}

type Button = HTMLInputElement | HTMLButtonElement;

/** The submit buttons; the first is the default button of the Enter key. */
const buttonsOf = (form: HTMLFormElement): Button[] =>
  [...form.ownerDocument.querySelectorAll<Button>('input, button')].filter(
    (control) => control.form === form && !control.disabled && (control.type === 'submit' || control.type === 'image'),
  );

/** Without names that other controls have, too. */
function namesOf(buttons: readonly Button[], form: HTMLFormElement): string[] {
  const others = new Set([...form.elements].filter((control) => !buttons.includes(control as Button)).map((control) => nameOf(control)));
  return buttons.map(nameOf).filter((name) => name !== '' && !others.has(name));
}

const nameOf = (control: Element): string => control.getAttribute('name') ?? '';

/** Filled in by the page only. A checkbox may have a hidden companion of the same name, which does not count. */
function isHidden(form: HTMLFormElement, name: string): boolean {
  const controls = [...form.elements].filter((control) => nameOf(control) === name);
  return (
    controls.length > 0 &&
    controls.every((control) => control.tagName === 'INPUT' && control.getAttribute('type')?.toLowerCase() === 'hidden')
  );
}

function fieldsOf(form: HTMLFormElement, button: Button | undefined, { FormData }: JSDOM['window']): FormField[] {
  const data = button === undefined ? new FormData(form) : new FormData(form, button);
  return [...data.entries()]
    .slice(0, MAX_FIELDS)
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

/** A form without a valid action is submitted to its own page. */
const resolved = (form: HTMLFormElement, written: string, url: string): string => {
  const base = form.ownerDocument.baseURI;
  if (written.trim() === '') return url;
  return isUrl(written, base) ? new URL(written, base).href : url;
};

/** All forms of a page. jsdom runs no scripts and loads nothing here; it determines what a browser would submit. */
export function readForms({ html, url, charset }: FormsTask): FoundForm[] {
  const { window } = new JSDOM(html, { url });
  try {
    return [...window.document.forms].slice(0, MAX_FORMS).map((form, place): FoundForm => {
      const originalAction = form.getAttribute('action') ?? '';
      const buttons = buttonsOf(form);
      const [button] = buttons;
      // Attributes of the button override those of the form.
      const attribute = (name: 'action' | 'method' | 'enctype'): string =>
        (button?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? '').trim();
      const action = resolved(form, attribute('action'), url);
      return {
        identifier: identifierOf(form, place),
        method: attribute('method').toLowerCase() === 'post' ? 'POST' : 'GET',
        encoding: encodedAs(attribute('enctype').toLowerCase()),
        charset: charsetOf(form, charset),
        action,
        originalAction,
        relativeAction: relativeTo(url, action),
        baseUrl: url,
        fields: fieldsOf(form, button, window),
        buttons: namesOf(buttons, form),
        hasPassword: form.querySelector('input[type=password]') !== null,
        html: form.outerHTML.slice(0, MAX_HTML),
        checksum: checksumOf(form),
      };
    });
  } finally {
    window.close();
  }
}

const encodedAs = (enctype: string): FoundForm['encoding'] =>
  enctype === 'multipart/form-data' || enctype === 'text/plain' ? enctype : 'application/x-www-form-urlencoded';

/** The first known charset that the form accepts; by default that of the page. */
function charsetOf(form: HTMLFormElement, page: string): string {
  const accepted = form.getAttribute('accept-charset');
  if (accepted === null) return sentAs(page);
  return sentAs(accepted.split(/[\s,]+/).flatMap((label) => encodingOf(label) ?? [])[0] ?? 'utf-8');
}

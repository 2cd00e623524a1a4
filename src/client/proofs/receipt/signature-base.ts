import { type InnerList, type Item, serializeInnerList } from './structured-field.ts';

/** A component of a message that a signature covers (RFC 9421, section 2). */
export interface Component {
  readonly name: string;
  /** `;req`: of the request that the message answers. */
  readonly isOfRequest: boolean;
}

/** As it stands in the base, such as `"@method";req`. */
export const identifierOf = ({ name, isOfRequest }: Component): string => `"${name}"${isOfRequest ? ';req' : ''}`;

/** Null for one with another parameter than `req`. */
export function componentOf({ value, params }: Item): Component | null {
  const isOfRequest = params.get('req') === true;
  return typeof value === 'string' && params.size === (isOfRequest ? 1 : 0) ? { name: value, isOfRequest } : null;
}

export const itemOf = ({ name, isOfRequest }: Component): Item => ({
  value: name,
  params: new Map(isOfRequest ? [['req', true]] : []),
});

/**
 * The text that is signed (RFC 9421, section 2.5): a line for each component, and the parameters. It never ends with a line feed, as the text of every
 * note does (C2SP signed-note): no signature over one is a signature over the other. Null where a component has no value, is repeated or not supported.
 */
export function signatureBase(input: InnerList, valueOf: (component: Component) => string | undefined): string | null {
  const lines = new Map<string, string>();
  for (const item of input.items) {
    const component = componentOf(item);
    const value = component === null ? undefined : valueOf(component);
    if (component === null || value === undefined || /[\r\n]/.test(value)) return null;
    const identifier = identifierOf(component);
    if (lines.has(identifier)) return null;
    lines.set(identifier, `${identifier}: ${value}\n`);
  }
  return `${[...lines.values()].join('')}"@signature-params": ${serializeInnerList(input)}`;
}

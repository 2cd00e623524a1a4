/** A control that a browser would submit. */
export interface FormField {
  readonly name: string;
  readonly value: string;
  /** Such as a CSRF token: always read anew from the page. */
  readonly hidden: boolean;
}

/** A form of a page (docs/spec/interface.md#area-group-of-checks). */
export interface FoundForm {
  /** Its `id`, else its `name`, else `#` and its index on the page, from 1. */
  readonly identifier: string;
  readonly method: 'GET' | 'POST';
  readonly encoding: 'application/x-www-form-urlencoded' | 'multipart/form-data' | 'text/plain';
  /** The WHATWG name of the charset in which it is submitted. */
  readonly charset: string;
  readonly action: string;
  readonly originalAction: string;
  readonly relativeAction: string;
  readonly baseUrl: string;
  readonly fields: readonly FormField[];
  /** Names of the submit buttons; the first is the default button, which is among the fields. */
  readonly buttons: readonly string[];
  readonly hasPassword: boolean;
  /** Truncated if very long. */
  readonly html: string;
  /** The checksum of the markup without the values of hidden fields. */
  readonly checksum: string;
}

/** URL-encoded, as the API shows the fields. */
export const paramsOf = ({ fields }: Pick<FoundForm, 'fields'>): string =>
  new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value])).toString();

export interface FormsTask {
  readonly html: string;
  readonly url: string;
  /** The charset of the page. */
  readonly charset: string;
}

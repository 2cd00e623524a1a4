/** One control that a browser would send. */
export interface FormField {
  readonly name: string;
  readonly value: string;
  /** Made by the page, such as a token against forgery: always taken fresh from it. */
  readonly hidden: boolean;
}

/** A form as it stands on a page (docs/spec/interface.md#area-group-of-checks). */
export interface FoundForm {
  /** Its `id`, else its `name`, else `#` and its place on the page, counted from 1. */
  readonly identifier: string;
  readonly method: 'GET' | 'POST';
  readonly encoding: 'application/x-www-form-urlencoded' | 'multipart/form-data' | 'text/plain';
  /** In which it is sent, by the name that browsers give it. */
  readonly charset: string;
  readonly action: string;
  readonly originalAction: string;
  readonly relativeAction: string;
  readonly baseUrl: string;
  readonly fields: readonly FormField[];
  /** The names of those that submit it, the first of which a browser takes to be pressed: it stands among the fields. */
  readonly buttons: readonly string[];
  readonly hasPassword: boolean;
  /** Bounded: the beginning of a very long form. */
  readonly html: string;
  /** Of the markup without the values of hidden fields. */
  readonly checksum: string;
}

/** As the interface shows the fields: URL-encoded. */
export const paramsOf = ({ fields }: Pick<FoundForm, 'fields'>): string =>
  new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value])).toString();

export interface FormsTask {
  readonly html: string;
  readonly url: string;
  /** Of the page. */
  readonly charset: string;
}

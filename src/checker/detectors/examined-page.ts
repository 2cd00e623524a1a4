import type { Page } from '../page/page.ts';
import { outlineOf, type Outline } from './outline.ts';
import { contextsOf, type PageContexts } from './page-contexts.ts';

export interface Detected {
  readonly id: string;
  readonly name: string;
  /** The visible text at the signature. */
  readonly excerpt: string;
}

/** What detectors ask of a page; each is made when it is first needed. */
export class ExaminedPage {
  private contextsKnown: PageContexts | undefined;
  private outlineKnown: Outline | undefined;

  constructor(readonly page: Page) {}

  get contexts(): PageContexts {
    return (this.contextsKnown ??= contextsOf(this.page.html));
  }

  get outline(): Outline {
    return (this.outlineKnown ??= outlineOf(this.page.html));
  }
}

import type { PageElements } from '../page/page-elements.ts';
import type { PageFacts } from '../page/page-facts.ts';
import { Page } from '../page/page.ts';
import { type ElementPlaces, elementPlaces } from './located-elements.ts';
import { type FactPlaces, factPlaces } from './located-facts.ts';

/** A page whose facts and elements are extracted together with their places, so that it is read once for both. */
export class LocatedPage extends Page {
  private knownFactPlaces: FactPlaces | undefined;
  private knownElementPlaces: ElementPlaces | undefined;

  get factPlaces(): FactPlaces {
    return (this.knownFactPlaces ??= factPlaces(this));
  }

  get elementPlaces(): ElementPlaces {
    return (this.knownElementPlaces ??= elementPlaces(this));
  }

  override get facts(): PageFacts {
    return this.factPlaces.facts;
  }

  override get elements(): PageElements {
    return this.elementPlaces.elements;
  }
}

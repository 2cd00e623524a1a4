import type { ComponentChildren } from 'preact';
import { goTo, hrefOf } from './address.ts';

interface LinkProps {
  readonly to: readonly string[];
  readonly query?: Readonly<Record<string, string | null>>;
  readonly class?: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A link within the console: opened without loading the page again, unless a person wants another tab. */
export function Link({ to, query, children, ...rest }: LinkProps) {
  const href = hrefOf(to, query);
  const follow = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(href);
  };
  return (
    <a href={href} onClick={follow} {...rest}>
      {children}
    </a>
  );
}

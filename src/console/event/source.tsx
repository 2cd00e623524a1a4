import { useState } from 'preact/hooks';
import { type MarkedBytes, SHOWN_LINES, sourceLines } from './source-lines.ts';

interface SourceProps {
  readonly text: string;
  readonly marks: readonly MarkedBytes[];
  /** Lines begin with `+`, `-` or a space. */
  readonly isDifference?: boolean;
}

/** The text of a page: data, never markup. */
export function Source({ text, marks, isDifference = false }: SourceProps) {
  const [count, setCount] = useState(SHOWN_LINES);
  const lines = sourceLines(text, marks, 0, count);
  const classOf = (parts: (typeof lines)[number]['parts']): string => {
    if (!isDifference) return parts.some(({ result }) => result === 'failed') ? 'row bad' : 'row';
    const [first] = parts;
    return first?.text.startsWith('+') === true ? 'row added' : first?.text.startsWith('-') === true ? 'row removed' : 'row';
  };
  return (
    <>
      <div class="source mono" tabIndex={0} role="region" aria-label="Source of the page">
        {lines.map(({ number, parts }) => (
          <div key={number} class={classOf(parts)}>
            <span aria-hidden="true">{number}</span>
            <span>
              {parts.map(({ text: part, result }, index) =>
                result === null ? (
                  part
                ) : (
                  <mark key={index} class={result}>
                    {part}
                  </mark>
                ),
              )}
            </span>
          </div>
        ))}
      </div>
      {lines.length === count && (
        <button class="quiet" onClick={() => setCount(count + SHOWN_LINES)}>
          Show more lines
        </button>
      )}
    </>
  );
}

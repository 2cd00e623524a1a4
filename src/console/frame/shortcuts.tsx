import { useEffect, useRef, useState } from 'preact/hooks';
import { activeShortcuts, useKeys } from './keys.ts';

/** `?` lists the keys of what is shown. */
export function Shortcuts() {
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys({ '?': { does: 'Show the keys', run: () => setOpen(true) } });
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  if (!isOpen) return null;
  // The latest of two shortcuts with the same key counts.
  const all = new Map(activeShortcuts.value.toReversed().flatMap(({ current }) => Object.entries(current)));
  return (
    <dialog ref={dialog} class="shortcuts" aria-labelledby="shortcuts" onClose={() => setOpen(false)}>
      <h2 id="shortcuts">Keys</h2>
      <dl>
        {[...all].map(([key, { does }]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}

import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface TrackActions {
  /** While a finger or the button is down; null: it was given up. */
  readonly drag: (place: number | null) => void;
  readonly choose: (place: number) => void;
  /** What lies at `place` stays there. */
  readonly zoom: (factor: number, place: number) => void;
}

interface Track {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerUp: (event: PointerEvent) => void;
    readonly onPointerCancel: (event: PointerEvent) => void;
  };
}

/** One pointer drags and chooses, two of them or the wheel zoom. Places are shares of the width. */
export function useTrack({ drag, choose, zoom }: TrackActions): Track {
  const ref = useRef<HTMLDivElement>(null);
  /** The position of each pointer that is down. */
  const pointers = useRef(new Map<number, number>());
  const isPinched = useRef(false);
  const placeUnder = (x: number): number => {
    const { left = 0, width = 1 } = ref.current?.getBoundingClientRect() ?? {};
    return Math.min(1, Math.max(0, (x - left) / width));
  };
  const latest = useRef(zoom);
  latest.current = zoom;
  // Not passive, because a wheel over the bar zooms instead of scrolling the page.
  useEffect(() => {
    const element = ref.current;
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      latest.current(event.deltaY > 0 ? 1.25 : 0.8, placeUnder(event.clientX));
    };
    element?.addEventListener('wheel', wheel, { passive: false });
    return () => element?.removeEventListener('wheel', wheel);
  }, []);
  const pinch = (event: PointerEvent): void => {
    const [one = 0, other = 0] = [...pointers.current.values()];
    pointers.current.set(event.pointerId, event.clientX);
    const [first = 0, second = 0] = [...pointers.current.values()];
    zoom(Math.max(1, Math.abs(one - other)) / Math.max(1, Math.abs(first - second)), placeUnder((first + second) / 2));
  };
  return {
    ref,
    handlers: {
      onPointerDown: (event) => {
        ref.current?.setPointerCapture(event.pointerId);
        pointers.current.set(event.pointerId, event.clientX);
        isPinched.current = pointers.current.size > 1;
        drag(isPinched.current ? null : placeUnder(event.clientX));
      },
      onPointerMove: (event) => {
        if (!pointers.current.has(event.pointerId)) return;
        if (pointers.current.size > 1) pinch(event);
        else if (!isPinched.current) drag(placeUnder(event.clientX));
      },
      onPointerUp: (event) => {
        const wasDown = pointers.current.delete(event.pointerId);
        if (wasDown && !isPinched.current) choose(placeUnder(event.clientX));
      },
      onPointerCancel: (event) => {
        pointers.current.delete(event.pointerId);
        drag(null);
      },
    },
  };
}

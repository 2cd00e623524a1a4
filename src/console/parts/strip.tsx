import { spanOf, utcDayText } from '../time/instants.ts';
import type { StripDay } from './strip-days.ts';

const HEIGHT = 18;

interface StripProps {
  readonly days: readonly StripDay[];
  readonly label: string;
  /** Only a large strip has it: opens a day, which is given by its UTC midnight. */
  readonly choose?: (day: number) => void;
}

/** Days as bars: red from below by the time down, hatched from above by the time that was not measured. */
export function Strip({ days, label, choose }: StripProps) {
  const isLarge = choose !== undefined;
  const height = isLarge ? 30 : HEIGHT;
  return (
    <svg
      class={isLarge ? 'strip large' : 'strip'}
      viewBox={`0 0 ${String(days.length * 3)} ${String(height)}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {days.map((day, index) => (
        <g key={day.at} onClick={choose && (() => choose(day.at))}>
          {/* A large strip says of each day what it was; small ones are many. */}
          {isLarge && <title>{wordsOf(day)}</title>}
          <Part
            of={day.kind === 'maintenance' ? 'maintenance' : 'up'}
            index={index}
            from={height * day.unknown}
            to={height * (1 - day.down)}
          />
          <Part of="unknown" index={index} from={0} to={height * day.unknown} />
          <Part of="down" index={index} from={height * (1 - day.down)} to={height} />
          {/* Between two bars a pointer is over the one before. */}
          {isLarge && <rect class="target" x={index * 3} y="0" width="3" height={height} />}
        </g>
      ))}
    </svg>
  );
}

interface PartProps {
  readonly of: StripDay['kind'];
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

function Part({ of, index, from, to }: PartProps) {
  return to > from ? <rect class={of} x={index * 3} y={from} width="2.2" height={to - from} /> : null;
}

function wordsOf({ at, kind, downSeconds, unknownSeconds }: StripDay): string {
  const unknown = unknownSeconds > 60 ? `, ${spanOf(unknownSeconds * 1000)} not measured` : '';
  const what =
    kind === 'down'
      ? `${spanOf(downSeconds * 1000)} down`
      : kind === 'maintenance'
        ? 'planned work'
        : kind === 'unknown'
          ? 'mostly not measured'
          : 'up';
  return `${utcDayText(at)} (UTC day): ${what}${kind === 'unknown' ? '' : unknown}`;
}

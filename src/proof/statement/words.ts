import { type AvailabilityMethod, formatUtcOffset } from '../../projects/objectives/objective.settings.ts';

/** The method in sentences; each states one part of its data. */
export function methodInWords({ down, maintenance, unknown, rounding }: AvailabilityMethod, offsetMinutes: number): readonly string[] {
  const { decimals, mode } = rounding;
  return [
    'Availability is the up time divided by the counted time, which is up time and down time together.',
    down.unconfirmed
      ? 'A failure counts as down from its first failing probe, whether or not a second probe confirmed it.'
      : 'A failure counts as down from its first failing probe, when a second probe confirmed it; other failures count as up.',
    down.timeouts ? 'An answer that does not come in time counts as down.' : 'An answer that does not come in time counts as up.',
    {
      none: 'Maintenance is counted like any other time.',
      announced: 'Maintenance that was recorded before it began is left out of the counted time; other maintenance is counted.',
      all: 'All maintenance is left out of the counted time, also maintenance that was recorded after it had begun.',
    }[maintenance],
    unknown === 'down'
      ? 'Time without measurements counts as down.'
      : 'Time without measurements is left out of the counted time; it counts neither as up nor as down.',
    'Corrections concern single checks. They are listed and change no figure of the site.',
    `Availability has ${String(decimals)} decimals, rounded ${mode === 'down' ? 'down' : 'to the nearest'}. It is compared with objective and credits as rounded.`,
    `Days and months begin at midnight in UTC${formatUtcOffset(offsetMinutes)}. Response times are those of the UTC days that begin in the span.`,
  ];
}

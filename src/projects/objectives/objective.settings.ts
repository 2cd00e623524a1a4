/** A calendar window over which an objective is measured. */
export const objectiveWindows = ['month', 'quarter', 'year'] as const;
export type ObjectiveWindow = (typeof objectiveWindows)[number];

/** Which maintenance is left out of the counted time. */
export const maintenanceRules = ['none', 'announced', 'all'] as const;
export type MaintenanceRule = (typeof maintenanceRules)[number];

/** How time without measurements counts; it is never up. */
export const unknownRules = ['excluded', 'down'] as const;
export type UnknownRule = (typeof unknownRules)[number];

export const roundingModes = ['down', 'nearest'] as const;
export type RoundingMode = (typeof roundingModes)[number];

/** How a statement computes availability. */
export interface AvailabilityMethod {
  readonly name: string;
  readonly title: string;
  /** `unconfirmed`: failures that no second probe confirmed are down. `timeouts`: an answer that does not come in time is down; otherwise it is up. */
  readonly down: { readonly unconfirmed: boolean; readonly timeouts: boolean };
  readonly maintenance: MaintenanceRule;
  readonly unknown: UnknownRule;
  readonly rounding: { readonly decimals: number; readonly mode: RoundingMode };
}

/** Availability below `below` percent gives a credit of `percent` percent. */
export interface CreditTier {
  readonly below: number;
  readonly percent: number;
}

/** The service-level objective of a project and how statements compute it. */
export interface ServiceObjective {
  readonly target: { readonly percent: number; readonly window: ObjectiveWindow } | null;
  /** The UTC offset of its days and months. */
  readonly offsetMinutes: number;
  readonly methods: readonly AvailabilityMethod[];
  /** The highest limit first. */
  readonly credits: readonly CreditTier[];
}

/** The method of a project that has set none. */
export const standardMethod: AvailabilityMethod = {
  name: 'standard',
  title: 'standard',
  down: { unconfirmed: false, timeouts: true },
  maintenance: 'announced',
  unknown: 'excluded',
  rounding: { decimals: 3, mode: 'down' },
};

export const noObjective: ServiceObjective = { target: null, offsetMinutes: 0, methods: [standardMethod], credits: [] };

export const MAX_METHODS = 4;
export const MAX_CREDIT_TIERS = 10;
export const MAX_DECIMALS = 6;
export const METHOD_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** Percentages have at most four decimals, so that every one of them has one spelling. */
export const isPercentage = (value: number): boolean => value >= 0 && value <= 100 && Number(value.toFixed(4)) === value;

const OFFSET = /^([+-])(\d{2}):?(\d{2})$/;

/** Minutes of a UTC offset such as `+05:45`, between -12:00 and +14:00 in quarters of an hour; null where no such offset exists. */
export function parseUtcOffset(text: string): number | null {
  if (text === 'Z') return 0;
  const [, sign, hours = '', minutes = ''] = OFFSET.exec(text) ?? [];
  if (sign === undefined || Number(minutes) > 45 || Number(minutes) % 15 !== 0) return null;
  const total = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return total < -720 || total > 840 ? null : total + 0;
}

export function formatUtcOffset(minutes: number): string {
  const absolute = Math.abs(minutes);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`;
}

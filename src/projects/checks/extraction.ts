/** A value that a check takes from its answer, for later checks of its group (docs/spec/decisions.md#T19). */
export interface Extraction {
  readonly name: string;
  /** `json:<path>`, `header:<name>`, `cookie:<name>` or `pattern:<RE2 with one group>`. */
  readonly from: string;
  /** Masked wherever it would be shown or stored; true unless set. */
  readonly secret?: boolean;
  /** Sites besides the one that answered to which the value may be sent. */
  readonly origins?: readonly string[];
}

export const extractionKinds = ['json', 'header', 'cookie', 'pattern'] as const;
export type ExtractionKind = (typeof extractionKinds)[number];

export const MAX_STEP_VALUES = 10;
/** In bytes: a longer value counts as not found. */
export const MAX_STEP_VALUE = 4096;
const MAX_SOURCE = 1024;
const VALUE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;

export const isValueName = (name: unknown): name is string => typeof name === 'string' && VALUE_NAME.test(name);

export interface ExtractionSource {
  readonly kind: ExtractionKind;
  readonly parameter: string;
}

const accepts: Readonly<Record<ExtractionKind, (parameter: string) => boolean>> = {
  json: (path) => path.startsWith('$'),
  header: (name) => TOKEN.test(name),
  cookie: (name) => TOKEN.test(name),
  pattern: (pattern) => pattern !== '',
};

/** Null for any other text. The syntax of a JSONPath or a pattern is validated in a worker thread. */
export function extractionSource(from: unknown): ExtractionSource | null {
  if (typeof from !== 'string' || Buffer.byteLength(from) > MAX_SOURCE) return null;
  const colon = from.indexOf(':');
  const kind = extractionKinds.find((known) => known === from.slice(0, Math.max(0, colon)));
  const parameter = from.slice(colon + 1);
  return kind !== undefined && accepts[kind](parameter) ? { kind, parameter } : null;
}

interface StepSettings {
  readonly options: { readonly extract?: readonly Extraction[]; readonly uses?: readonly string[] };
}

interface Step {
  readonly areaId: string;
  readonly settings: StepSettings;
}

const gives = ({ settings }: Step, name: string): boolean => settings.options.extract?.some((one) => one.name === name) === true;

/** The check that gives a value: of the earlier ones of its group the last that extracts the name, enabled or not. */
export const giverOf = <Of extends Step>(earlier: readonly Of[], areaId: string, name: string): Of | undefined =>
  earlier.findLast((step) => step.areaId === areaId && gives(step, name));

/** Whether a check takes part in a journey. */
export const isStep = ({ options: { extract = [], uses = [] } }: StepSettings): boolean => extract.length + uses.length > 0;

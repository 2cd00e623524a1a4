import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client';

type Known = MetricObjectWithValues<MetricValue<string>>;
type Value = Known['values'][number] & Partial<Pick<MetricValueWithName<string>, 'metricName'>>;
type Base = Omit<Extract<MetricData, { readonly dataPointType: DataPointType.GAUGE }>, 'dataPointType' | 'dataPoints'>;

/** The metrics of /metrics for OTLP: the same names, labels and values, read from the same registry. */
export class RegistryProducer implements MetricProducer {
  private readonly startTime = hrTime();

  constructor(
    private readonly registry: Registry,
    private readonly resource: Resource,
  ) {}

  async collect(): Promise<CollectionResult> {
    const known = await this.registry.getMetricsAsJSON();
    const metrics = known.flatMap((metric) => this.metricOf(metric));
    return { resourceMetrics: { resource: this.resource, scopeMetrics: [{ scope: { name: 'watchledger' }, metrics }] }, errors: [] };
  }

  /** None of a metric without values, such as a gauge of a database that is away. */
  private metricOf(metric: Known): readonly MetricData[] {
    const descriptor = { name: metric.name, description: metric.help, unit: '', valueType: ValueType.DOUBLE };
    const base: Base = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
    // The declared type of a metric is an enum without values; the registry answers their names.
    const type = String(metric.type);
    if (metric.values.length === 0) return [];
    if (type === 'counter') {
      return [
        { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: metric.values.map((value) => this.pointOf(value)) },
      ];
    }
    if (type === 'gauge')
      return [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints: metric.values.map((value) => this.pointOf(value)) }];
    return type === 'histogram' ? [this.histogramOf(base, metric)] : [];
  }

  private histogramOf(base: Base, { name, values }: Known): MetricData {
    const series = new Map<string, HistogramSeries>();
    for (const { labels, metricName, value } of values as readonly Value[]) {
      const { le, ...attributes } = labels;
      const key = JSON.stringify(attributes);
      const one: HistogramSeries = series.get(key) ?? { attributes, boundaries: [], cumulative: [], sum: 0, count: 0 };
      series.set(key, one);
      if (metricName === `${name}_sum`) one.sum = value;
      else if (metricName === `${name}_count`) one.count = value;
      else {
        if (le !== '+Inf') one.boundaries.push(Number(le));
        one.cumulative.push(value);
      }
    }
    const dataPoints = [...series.values()].map(({ attributes, boundaries, cumulative, sum, count }) => ({
      ...this.span(),
      attributes,
      value: { buckets: { boundaries, counts: cumulative.map((upTo, index) => upTo - (cumulative[index - 1] ?? 0)) }, sum, count },
    }));
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }

  private pointOf({ labels, value }: Value) {
    return { ...this.span(), attributes: { ...labels }, value };
  }

  private span(): { readonly startTime: HrTime; readonly endTime: HrTime } {
    return { startTime: this.startTime, endTime: hrTime() };
  }
}

interface HistogramSeries {
  readonly attributes: Attributes;
  readonly boundaries: number[];
  readonly cumulative: number[];
  sum: number;
  count: number;
}

function hrTime(): HrTime {
  const now = Date.now();
  return [Math.floor(now / 1_000), (now % 1_000) * 1_000_000];
}

/** The values over time that a verdict rests on. */
import { parseTime } from '../time/time';

export interface ChartPoint {
  readonly at: string;
  readonly value: number;
}

export interface Chart {
  /** The number of the call in its session. */
  readonly call: number;
  readonly metric: string;
  /** Empty if the result names none. */
  readonly object: string;
  readonly unit: string;
  /** In the order of time. */
  readonly points: readonly ChartPoint[];
  readonly change: { readonly at: string; readonly before: number; readonly after: number } | null;
}

const number = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumSignificantDigits: 3,
});

const sizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

const units: Readonly<Record<string, string>> = {
  percent: ' %',
  '%': ' %',
  count: '',
  seconds: ' s',
  milliseconds: ' ms',
  microseconds: ' µs',
};

/** A value with its unit: `5 GiB`, `96.2 %`, `1.2K`. */
export function formatValue(value: number, unit: string): string {
  const name = unit.toLowerCase();
  if (name === 'bytes' || name === 'byte') {
    const power = Math.min(sizeOf(value), sizes.length - 1);
    return `${number.format(value / 1024 ** power)} ${sizes[power] ?? ''}`;
  }
  return `${number.format(value)}${units[name] ?? (unit === '' ? '' : ` ${unit}`)}`;
}

function sizeOf(bytes: number): number {
  return Math.abs(bytes) < 1024 ? 0 : Math.floor(Math.log2(Math.abs(bytes)) / 10);
}

/** From which value to which: of its change, else of its first and last point. */
export function ends({ change, points }: Chart): readonly [number, number] | null {
  if (change !== null) return [change.before, change.after];
  const [first, last] = [points[0], points.at(-1)];
  return first === undefined || last === undefined ? null : [first.value, last.value];
}

export interface Drawing {
  /** The `d` of a path in a square of 100 by 100. */
  readonly line: string;
  /** Where its level changed, from 0 to 100. */
  readonly changeAt: number | null;
  readonly low: number;
  readonly high: number;
}

/** The line of a chart; it stands on zero, as what is small beside its own size is no change to look at. Null of nothing to draw. */
export function draw(chart: Chart): Drawing | null {
  const points = chart.points.flatMap(({ at, value }) => {
    const time = parseTime(at);
    return time === null ? [] : [{ time, value }];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first.time === last.time) return null;
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const height = high - low || 1;
  const x = (time: number) => (100 * (time - first.time)) / (last.time - first.time);
  const line = points.map(
    ({ time, value }, at) =>
      `${at === 0 ? 'M' : 'L'}${round(x(time))} ${round((100 * (high - value)) / height)}`,
  );
  const changed = chart.change === null ? null : parseTime(chart.change.at);
  return {
    line: line.join(''),
    changeAt: changed === null ? null : round(Math.min(100, Math.max(0, x(changed)))),
    low,
    high,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const levels = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
/** Characters of a chart in a text. */
const SPARK_WIDTH = 24;

/** The line as characters: `▁▁▂▇█`. */
export function sparkline({ points }: Chart): string {
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const width = Math.min(SPARK_WIDTH, values.length);
  const run = values.length / width;
  return Array.from({ length: width }, (_, at) => {
    const value = Math.max(...values.slice(Math.floor(at * run), Math.floor((at + 1) * run)));
    const level = Math.round(((value - low) / (high - low || 1)) * (levels.length - 1));
    return levels[level] ?? levels[0];
  }).join('');
}

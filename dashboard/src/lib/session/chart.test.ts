import { describe, expect, it } from 'vitest';
import { chart } from '../../test/verdict';
import { draw, ends, formatValue, sparkline } from './chart';

describe('values over time', () => {
  it('are written with the unit that their result names', () => {
    expect(formatValue(96.24, 'Percent')).toBe('96.2 %');
    expect(formatValue(5_368_709_120, 'Bytes')).toBe('5 GiB');
    expect(formatValue(0, 'bytes')).toBe('0 B');
    expect(formatValue(1234, '')).toBe('1.23K');
    expect(formatValue(400, 'Seconds')).toBe('400 s');
    expect(formatValue(3, 'reqps')).toBe('3 reqps');
  });

  it('are drawn on zero, with the time of their change', () => {
    const drawing = draw(chart());
    expect(drawing).toMatchObject({ low: 0, high: 96, changeAt: 66.7 });
    expect(drawing?.line).toBe('M0 87.5L33.3 87.5L66.7 0L100 0');
    expect(ends(chart())).toEqual([12, 96]);
    expect(ends(chart({ change: null }))).toEqual([12, 96]);
  });

  it('are not drawn without a time to pass', () => {
    expect(draw(chart({ points: [] }))).toBeNull();
    expect(draw(chart({ points: [{ at: 'yesterday', value: 1 }] }))).toBeNull();
    expect(draw(chart({ change: null }))?.changeAt).toBeNull();
  });

  it('are characters where nothing can be drawn', () => {
    expect(sparkline(chart())).toBe('▂▂██');
    expect(sparkline(chart({ points: [] }))).toBe('');
  });
});

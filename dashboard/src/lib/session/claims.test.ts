import { describe, expect, it } from 'vitest';
import { describeDegradation } from './claims';

describe('why a finding needs a second look', () => {
  it.each([
    [{ total: 28, verified: 27 }, '1 of 28 statements is not backed by its source.'],
    [{ total: 28, verified: 25 }, '3 of 28 statements are not backed by their sources.'],
    [{ total: 28, verified: 28 }, 'Some statements are not backed by the results they cite.'],
    [null, 'Some statements are not backed by the results they cite.'],
  ])('counts the statements without a source: %j', (claims, text) => {
    expect(describeDegradation(['unverified_claims'], { claims })).toEqual([text]);
  });

  it('names the tools of which every call failed', () => {
    const shown = (failed_tools: { tool: string; calls: number }[]) =>
      describeDegradation(['tool_failed'], { failed_tools })[0];
    const loki = { tool: 'ops.loki_query', calls: 2 };
    expect(shown([loki])).toBe(
      'All calls of ops.loki_query failed (2 of 2); what it shows was not checked.',
    );
    expect(shown([loki, { tool: 'ops.logs', calls: 1 }])).toBe(
      'All calls of ops.loki_query (2 of 2), ops.logs (1 of 1) failed; what they show was not checked.',
    );
    expect(shown([])).toBe('All calls of a tool failed; what it shows was not checked.');
  });

  it('has words for a reason that this version does not know, and for none', () => {
    expect(describeDegradation(['out_of_luck'])).toEqual(['Reason: out of luck.']);
    expect(describeDegradation([])).toEqual(['The findings need a second look.']);
  });
});

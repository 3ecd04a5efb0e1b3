import { describe, expect, it } from 'vitest';
import { bySeverity, severityRank, severityTone } from './alert';

describe('severities', () => {
  it('have the colour of their rank, whatever the case', () => {
    for (const word of ['critical', 'CRIT', 'p1', 'Sev0', 'down', 'high', 'error']) {
      expect(severityTone(word)).toBe('error');
    }
    for (const word of ['warning', 'warn', 'average', 'sev2', 'minor']) {
      expect(severityTone(word)).toBe('warning');
    }
    for (const word of ['info', 'p3', 'notice']) {
      expect(severityTone(word)).toBe('neutral');
    }
  });

  it('that nobody knows keep their word and a place between the known ones', () => {
    expect(severityTone('orange')).toBe('neutral');
    expect(severityRank('紧急')).toBe(severityRank('orange'));
    const sorted = bySeverity(['info', 'orange', 'warning', 'p1']);
    expect(sorted).toEqual(['p1', 'warning', 'orange', 'info']);
  });
});

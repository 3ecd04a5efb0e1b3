import { expect, it } from 'vitest';
import { alertDescription } from './alertText';

it.each([
  ['{"annotations":{"summary":"short","description":"Disk is full."}}', 'Disk is full.'],
  ['{"message":"Disk is full."}', 'Disk is full.'],
  ['{"value":1}', null],
  ['Disk is full on web-1', null],
])('reads the description of %s', (data, expected) => {
  expect(alertDescription(data)).toBe(expected);
});

it('reads the description of an alert of a source, whose data is a text', () => {
  const data = [
    'Pod checkout-1 is crash looping',
    'status: firing',
    'labels:',
    '  description: a label of this name',
    'annotations:',
    '  dashboard: https://grafana.example/d/1',
    '  description: It has restarted 14 times.',
    '    Orders fail.',
    '  summary: Pod checkout-1 is crash looping',
    'link: https://prometheus.example (Alert rule)',
  ].join('\n');
  expect(alertDescription(data)).toBe('It has restarted 14 times.\n    Orders fail.');
});

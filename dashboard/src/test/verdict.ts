import type { Chart } from '../lib/session/chart';

/** A verdict as the API has it; a test overrides the fields it is about. */
export function verdict(changes: object = {}) {
  return {
    outcome: 'cause_found',
    alert_statement: 'confirmed',
    answer: '',
    cause: 'The database refuses connections',
    category: 'credentials',
    object: { kind: 'Pod', name: 'payments-7d9', namespace: 'shop' },
    since: '2026-11-22T00:58:00Z',
    confidence: 'high',
    evidence: [{ call: 1, line: 17, text: 'FATAL: password authentication failed' }],
    change: null,
    alternatives: [
      {
        cause: 'The node is short of memory',
        category: 'node_pressure',
        object: null,
        because: 'No eviction is in the events [call 2].',
        evidence: [{ call: 2, line: 3, text: 'MemoryPressure False' }],
        change: {
          id: null,
          kind: 'node',
          object: 'Node/worker-3',
          occurred_at: '2026-11-22T00:50:00Z',
          text: 'cordoned',
        },
      },
    ],
    not_examined: [{ what: 'The logs of the database', why: 'the tool failed' }],
    next_steps: ['Compare the secret with the role.', 'Restart the deployment.'],
    charts: [],
    source: 'model',
    ...changes,
  };
}

/** A metric over time that a verdict rests on. */
export function chart(changes: Partial<Chart> = {}): Chart {
  const at = (minute: number) => `2026-11-22T00:0${minute}:00Z`;
  return {
    call: 3,
    metric: 'cpu_percent',
    object: 'db-1',
    unit: 'Percent',
    points: [12, 12, 96, 96].map((value, minute) => ({ at: at(minute), value })),
    change: { at: at(2), before: 12, after: 96 },
    ...changes,
  };
}

import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { sessionDetail } from '../../test/builders';
import { openSession, serveSession } from '../../test/session';

describe('a session', () => {
  it('that failed names the place and the provider, without a sign of success', async () => {
    const failure = {
      code: 'credentials',
      reason: 'HTTP 401 invalid_api_key',
      stage: 'investigation',
      agent: 'Ops',
      provider: 'team-key',
      remedy: 'Set TEAM_KEY.',
      document: 'operating.md#keys-of-models',
    };
    const [first] = sessionDetail().stages;
    const execution = {
      execution_id: 'exec-1',
      agent_name: 'Ops',
      agent_index: 1,
      status: 'failed',
      llm_provider: 'team-key',
      active_provider: 'team-key',
      error_message: 'the provider team-key could not be used',
      failure,
    };
    serveSession({
      status: 'failed',
      error_message: 'stage "investigation" failed: Ops failed: no key',
      failure,
      stages: [
        { ...first, stage_name: 'investigation', status: 'failed', executions: [execution] },
      ],
    });
    openSession();
    const shown = await screen.findByTestId('session-failure');
    expect(shown).toHaveTextContent(
      'Investigation failedProvider team-key failed: HTTP 401 invalid_api_keySet TEAM_KEY.',
    );
    expect(shown).toHaveTextContent('Stage investigation · agent Ops · provider team-key');
    expect(shown).not.toHaveTextContent('Ops failed');
    const remedy = await within(shown).findByRole('link', { name: 'Check provider team-key' });
    expect(remedy).toHaveAttribute('href', '/system');
  });
});

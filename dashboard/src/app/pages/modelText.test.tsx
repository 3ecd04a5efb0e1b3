import { screen, within } from '@testing-library/react';
import { run } from 'axe-core';
import { describe, expect, it } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { openSession, serveSession } from '../../test/session';

const stages = [
  {
    id: 'stage-1',
    stage_name: 'Diagnosis',
    stage_index: 1,
    status: 'completed',
    expected_agent_count: 1,
    executions: [
      { execution_id: 'exec-1', agent_name: 'HostAgent', agent_index: 1, status: 'completed' },
    ],
  },
];

describe('text of a model', () => {
  it.each([
    ['played', false, 'AI-generated, verify'],
    ['analyst', true, 'By rules'],
  ])('of the provider %s is marked while it is written', async (provider, by_rules, mark) => {
    const [stage] = stages;
    const agent = { ...stage?.executions[0], status: 'active', llm_provider: provider, by_rules };
    serveSession({ status: 'in_progress', stages: [{ ...stage, executions: [agent] }] }, [
      timelineEvent({ status: 'streaming', content: 'The disk' }),
    ]);
    openSession();
    expect(await screen.findByTestId('timeline-source')).toHaveTextContent(mark);
  });

  it('after rules had looked first says who did what', async () => {
    const [stage] = stages;
    const by = (index: number, stage_name: string, llm_provider: string) => ({
      ...stage,
      id: `stage-${index}`,
      stage_name,
      stage_index: index,
      executions: [
        {
          ...stage?.executions[0],
          execution_id: `exec-${index}`,
          llm_provider,
          by_rules: llm_provider === 'offline',
        },
      ],
    });
    const both = [by(1, 'rules', 'offline'), by(2, 'Diagnosis', 'ollama-qwen3-8b')];
    const texts = { final_analysis: 'The disk is full.', executive_summary: 'Full disk.' };
    serveSession({ status: 'completed', stages: both, ...texts }, [
      timelineEvent({ stage_id: 'stage-1', execution_id: 'exec-1', content: 'It is full.' }),
      timelineEvent({
        id: 'event-2',
        sequence_number: 2,
        stage_id: 'stage-2',
        execution_id: 'exec-2',
        content: 'The disk is full.',
      }),
    ]);
    openSession();
    const after = 'AI-generated, after rules had looked first. Verify before you act.';
    expect(await screen.findAllByText(after)).toHaveLength(2);
    expect(await screen.findByTestId('timeline-source')).toHaveTextContent(
      'By rules and AI-generated, verify',
    );
    const facts = (await screen.findAllByTestId('agent-facts')).map((line) => line.textContent);
    expect(facts[0]).toContain('rules, no model');
    expect(facts[1]).toContain('ollama-qwen3-8b');
  });

  it('has task lists and tables with accessible names', async () => {
    const content =
      '- [x] logs\n- [ ] disk\n\n| | size |\n|-|-|\n| /var | 9 |\n\n| a |\n|-|\n| b |\n';
    serveSession({ status: 'completed', final_analysis: content, stages });
    const { container } = openSession();
    const analysis = within(await screen.findByTestId('final-analysis'));
    expect(await analysis.findByRole('checkbox', { name: 'Done' })).toBeChecked();
    expect(analysis.getByRole('checkbox', { name: 'Not done' })).not.toBeChecked();
    expect(analysis.getByRole('columnheader', { name: 'size' })).toBeInTheDocument();
    expect(analysis.getAllByRole('columnheader')).toHaveLength(2);
    const { violations } = await run(container, {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });

  it('cannot reorder the text around it', async () => {
    serveSession({ status: 'completed', final_analysis: 'run rm \u202egpj.exe', stages });
    openSession();
    expect(await screen.findByTestId('final-analysis')).toHaveTextContent('rm [U+202E]gpj.exe');
  });

  it('shows the conclusion once', async () => {
    const conclusion = 'The disk is full of logs.';
    serveSession(
      { status: 'completed', final_analysis: conclusion, executive_summary: 'Full disk.', stages },
      [
        timelineEvent({ id: 'one', content: 'Let me look.' }),
        timelineEvent({ id: 'two', sequence_number: 2, content: conclusion }),
        timelineEvent({
          id: 'three',
          sequence_number: 3,
          event_type: 'final_analysis',
          content: conclusion,
        }),
        timelineEvent({
          id: 'four',
          sequence_number: 4,
          event_type: 'executive_summary',
          content: 'Full disk.',
        }),
      ],
    );
    openSession();
    expect(await screen.findByTestId('link-to-analysis')).toHaveAttribute(
      'href',
      '#final-analysis',
    );
    expect(screen.getAllByText(conclusion)).toHaveLength(1);
    expect(screen.getAllByText('Full disk.')).toHaveLength(1);
    expect(screen.getByText('Let me look.')).toBeInTheDocument();
  });
});

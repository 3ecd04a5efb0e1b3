import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { timelineEvent } from '../../test/builders';
import { answer, server } from '../../test/server';
import { openSession, serveSession, sessionPath } from '../../test/session';

const rows = Array.from({ length: 1200 }, (_, row) => `row ${row}: ${row % 500 ? 'ok' : 'Broken'}`);

function serve(metadata: object, interactions: readonly object[]) {
  const call = timelineEvent({
    event_type: 'llm_tool_call',
    content: 'row 0',
    metadata: { server_name: 'host', tool_name: 'logs', call_number: 4, ...metadata },
  });
  serveSession({}, [call]);
  server.use(
    answer(`${sessionPath}/trace`, {
      stages: [{ executions: [{ mcp_interactions: [...interactions] }] }],
    }),
    http.get(`${sessionPath}/trace/mcp/the-call/result`, () => HttpResponse.text(rows.join('\n'))),
  );
}

describe('a truncated result', () => {
  it('is opened in full and searched', async () => {
    serve({ cut: true }, [
      { id: 'another', call_number: 3 },
      { id: 'the-call', call_number: 4 },
    ]);
    const user = userEvent.setup();
    openSession();
    await user.click(await screen.findByTestId('open-result'));
    const dialog = within(
      await screen.findByRole('dialog', { name: 'Result of call 4: host.logs' }),
    );
    expect(await dialog.findByTestId('long-text')).toHaveTextContent('row 1199: ok');
    expect(dialog.getByText(/1,200 lines/)).toBeInTheDocument();
    expect(dialog.getByRole('link', { name: 'Open in a new tab' })).toHaveAttribute(
      'href',
      `${sessionPath}/trace/mcp/the-call/result`,
    );

    await user.type(dialog.getByTestId('text-search'), 'broken');
    await waitFor(() =>
      expect(dialog.getByTestId('match-count')).toHaveTextContent('Match 1 of 3'),
    );
    expect(dialog.getByTestId('matching-line')).toHaveTextContent('row 0: Broken');
    await user.keyboard('{Enter}');
    expect(dialog.getByTestId('matching-line')).toHaveTextContent('row 500: Broken');
    await user.click(dialog.getByRole('button', { name: 'Previous' }));
    await user.click(dialog.getByRole('button', { name: 'Previous' }));
    expect(dialog.getByTestId('matching-line')).toHaveTextContent('row 1000: Broken');
    await user.type(dialog.getByTestId('text-search'), 'x');
    await waitFor(() => expect(dialog.getByTestId('match-count')).toHaveTextContent('No matches'));
  });

  it('shows the error when its call is not recorded', async () => {
    serve({ cut: true }, []);
    const user = userEvent.setup();
    openSession();
    await user.click(await screen.findByTestId('open-result'));
    expect(await screen.findByTestId('error-state')).toHaveTextContent('no recorded call 4');
  });

  it('has no button when it is complete', async () => {
    serve({ cut: false }, []);
    openSession();
    expect(await screen.findByTestId('tool-card')).toBeInTheDocument();
    expect(screen.queryByTestId('open-result')).not.toBeInTheDocument();
  });
});

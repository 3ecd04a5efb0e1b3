import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { emptyDraft, validate } from '../../features/submit/draft';
import { sessionDetail } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';

const examples = {
  examples: [
    {
      name: 'host',
      title: 'Disk filling up',
      description: 'Looks at this machine.',
      alert_type: 'HostDiskPressure',
      data: '{"alert":"disk"}',
    },
  ],
};

function reject(body: object, init: { status: number; headers?: Record<string, string> }) {
  return http.post('/api/v1/alerts', () => HttpResponse.json(body, init));
}

async function send(text = 'Something broke') {
  const user = userEvent.setup();
  await user.type(await screen.findByTestId('alert-data-input'), text);
  await user.click(screen.getByTestId('submit-alert'));
  return user;
}

describe('the form', () => {
  it('submits an example and opens the session', async () => {
    const bodies: unknown[] = [];
    const idempotency: (string | null)[] = [];
    server.use(
      answer('/api/v1/example-alerts', examples),
      answer('/api/v1/sessions/new-one', sessionDetail({ id: 'new-one' })),
      answer('/api/v1/sessions/new-one/timeline', []),
      http.post('/api/v1/alerts', async ({ request }) => {
        bodies.push(await request.json());
        idempotency.push(request.headers.get('Idempotency-Key'));
        const body = { session_id: 'new-one', status: 'queued', message: 'queued' };
        return HttpResponse.json(body, { status: 202 });
      }),
    );
    const user = userEvent.setup();
    const { router } = openPage('/submit');
    await user.click(await screen.findByTestId('example-alert'));
    expect(await screen.findByTestId('alert-data-input')).toHaveValue('{"alert":"disk"}');
    expect(screen.getByTestId('size-counter')).toHaveTextContent('16 B of 1 MiB');
    await user.click(screen.getByTestId('submit-alert'));
    await waitFor(() => expect(router.state.location.pathname).toBe('/sessions/new-one'));
    expect(bodies).toEqual([{ data: '{"alert":"disk"}', alert_type: 'HostDiskPressure' }]);
    expect(idempotency[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('says on the page of the session what of the request has no effect', async () => {
    const warning = 'mcp.native_tools: google_search is off beside tool servers';
    server.use(
      http.post('/api/v1/alerts', () =>
        HttpResponse.json(
          { session_id: 'new-one', status: 'queued', warnings: [warning] },
          { status: 202 },
        ),
      ),
      answer('/api/v1/sessions/new-one', sessionDetail({ id: 'new-one' })),
      answer('/api/v1/sessions/new-one/timeline', []),
    );
    openPage('/submit');
    await send();
    expect(await screen.findByTestId('session-page')).toBeInTheDocument();
    const shown = screen.getByTestId('submission-warnings');
    expect(shown).toHaveTextContent(warning);
    expect(shown).toHaveAttribute('role', 'alert');
  });

  it('selects a type that works here, and says why an example does not', async () => {
    const problem = 'None of its tool servers can be used (kubernetes-server).';
    server.use(
      answer('/api/v1/alert-types', {
        alert_types: [
          { type: 'kubernetes', chain_id: 'kubernetes', problem },
          { type: 'host', chain_id: 'host', description: 'This machine.' },
        ],
        default_chain_id: 'kubernetes',
        default_alert_type: 'kubernetes',
      }),
      answer('/api/v1/example-alerts', {
        examples: [...examples.examples, { ...examples.examples[0], name: 'pod', problem }],
      }),
    );
    openPage('/submit');
    await waitFor(() => expect(screen.getByTestId('alert-type-input')).toHaveValue('host'));
    expect(screen.getByText('This machine.')).toBeInTheDocument();
    expect(screen.getByTestId('example-problem')).toHaveTextContent(problem);
  });

  it('asks before an example replaces a text', async () => {
    server.use(answer('/api/v1/example-alerts', examples));
    const user = userEvent.setup();
    openPage('/submit');
    const example = await screen.findByTestId('example-alert');
    await user.type(await screen.findByTestId('alert-data-input'), 'my own words');
    await user.click(example);
    await user.click(await screen.findByRole('button', { name: 'Keep my text' }));
    expect(screen.getByTestId('alert-data-input')).toHaveValue('my own words');
    await user.click(example);
    await user.click(await screen.findByRole('button', { name: 'Replace' }));
    expect(screen.getByTestId('alert-data-input')).toHaveValue('{"alert":"disk"}');
  });

  it('keeps a text until it is sent, which Ctrl+Enter does', async () => {
    server.use(
      http.post('/api/v1/alerts', () =>
        HttpResponse.json({ session_id: 'new-one', status: 'queued' }, { status: 202 }),
      ),
      answer('/api/v1/sessions/new-one', sessionDetail({ id: 'new-one' })),
      answer('/api/v1/sessions/new-one/timeline', []),
    );
    const user = userEvent.setup();
    const first = openPage('/submit');
    await user.type(await screen.findByTestId('alert-data-input'), 'half a thought');
    first.unmount();
    const second = openPage('/submit');
    const field = await screen.findByTestId('alert-data-input');
    expect(field).toHaveValue('half a thought');
    await user.type(field, '{Control>}{Enter}{/Control}');
    await waitFor(() => expect(second.router.state.location.pathname).toBe('/sessions/new-one'));
    second.unmount();
    openPage('/submit');
    expect(await screen.findByTestId('alert-data-input')).toHaveValue('');
  });

  it('shows the trace id of a refused alert', async () => {
    server.use(reject({ title: 'Internal', detail: 'failed', trace_id: 'abc-1' }, { status: 500 }));
    openPage('/submit');
    await send();
    expect(await screen.findByTestId('trace-id')).toHaveTextContent('Trace ID abc-1');
  });

  it('waits for an accepted session that is not stored yet', async () => {
    let stored = false;
    server.use(
      http.post('/api/v1/alerts', () =>
        HttpResponse.json({ session_id: 'new-one', status: 'queued' }, { status: 202 }),
      ),
      http.get('/api/v1/sessions/new-one', () =>
        stored
          ? HttpResponse.json(sessionDetail({ id: 'new-one' }))
          : HttpResponse.json({ title: 'Not found' }, { status: 404 }),
      ),
      answer('/api/v1/sessions/new-one/timeline', []),
    );
    openPage('/submit');
    await send();
    expect(await screen.findByTestId('session-not-stored')).toHaveTextContent('Alert accepted');
    stored = true;
    expect(await screen.findByTestId('session-page')).toBeInTheDocument();
  });

  it.each([
    'https://github.com/acme/runbooks/blob/main/disk.md',
    'https://wiki.example/a runbook.md',
    'file:///disk.md',
    'file:/disk.md',
  ])('does not validate the host of the runbook %s', (runbook) => {
    expect(validate({ ...emptyDraft, data: 'x', runbook })).toEqual({});
  });

  it('requires a full runbook URL', () => {
    expect(validate({ ...emptyDraft, data: 'x', runbook: 'disk.md' }).runbook).toContain(
      'file:///',
    );
  });

  it('is filled in with the alert of an earlier session', async () => {
    const bodies: unknown[] = [];
    const selection = {
      servers: [{ name: 'host', tools: ['df'] }],
      native_tools: { google_search: null },
    };
    const identity = { title: 'Disk of web-1', severity: 'high', labels: { team: 'shop' } };
    const earlier = sessionDetail({
      id: 'old-one',
      status: 'failed',
      alert_data: 'the disk is full',
      runbook_url: 'file:///disk.md',
      mcp_selection: selection,
      requested_provider: 'second',
      ...identity,
    });
    server.use(
      answer('/api/v1/sessions/old-one', earlier),
      answer('/api/v1/sessions/old-one/timeline', []),
      http.post('/api/v1/alerts', async ({ request }) => {
        bodies.push(await request.json());
        return HttpResponse.json({ title: 'Busy' }, { status: 429 });
      }),
    );
    const user = userEvent.setup();
    openPage('/sessions/old-one');
    await user.click(await screen.findByTestId('resubmit'));
    expect(await screen.findByTestId('resubmission-notice')).toHaveTextContent('stay masked');
    await waitFor(() =>
      expect(screen.getByTestId('alert-data-input')).toHaveValue('the disk is full'),
    );
    await user.click(screen.getByTestId('submit-alert'));
    await screen.findByTestId('submit-error');
    await user.type(screen.getByTestId('alert-data-input'), ' again');
    await user.click(screen.getByTestId('submit-alert'));
    await waitFor(() => expect(bodies).toHaveLength(2));
    const common = {
      alert_type: 'HostDiskPressure',
      runbook: 'file:///disk.md',
      mcp: { servers: [{ name: 'host', tools: ['df'] }] },
      provider: 'second',
    };
    // What was stated about the alert is not about another text.
    expect(bodies).toEqual([
      { data: 'the disk is full', ...common, ...identity },
      { data: 'the disk is full again', ...common },
    ]);
  });

  it('shows the error when an earlier alert cannot be loaded', async () => {
    server.use(answer('/api/v1/sessions/gone', { title: 'Not found', detail: 'No session.' }, 404));
    openPage('/submit?resubmit=gone');
    expect(await screen.findByTestId('resubmission-error')).toHaveTextContent('No session.');
  });

  it('does not send an empty alert', async () => {
    const user = userEvent.setup();
    openPage('/submit');
    await user.click(await screen.findByTestId('submit-alert'));
    expect(screen.getByTestId('alert-data-input')).toBeInvalid();
    expect(screen.getByText('Alert data is required.')).toBeInTheDocument();
  });

  it('shows the field errors of the API at their fields', async () => {
    server.use(
      reject(
        {
          type: '/problems/invalid',
          title: 'Invalid',
          status: 400,
          detail: 'The alert has 2 problems.',
          message: 'The alert has 2 problems.',
          errors: [
            { field: 'runbook', message: 'is on a host that is not allowed' },
            { field: 'mcp.servers', message: 'unknown server' },
            { field: 'alert_type', message: 'unknown alert type "x"' },
          ],
        },
        { status: 400 },
      ),
    );
    openPage('/submit');
    await send();
    expect(
      await screen.findByText('The runbook is on a host that is not allowed'),
    ).toBeInTheDocument();
    expect(screen.getByText('unknown alert type "x"')).toBeInTheDocument();
    expect(screen.getByTestId('runbook-input')).toBeInvalid();
    const error = screen.getByTestId('submit-error');
    expect(error).toHaveTextContent('The alert has 2 problems.');
    expect(screen.getByTestId('tool-problem')).toHaveTextContent('mcp.servers unknown server');
  });

  it('shows the retry delay when TARSy is busy, and keeps the text', async () => {
    const busy = { title: 'Busy', status: 429 };
    server.use(reject(busy, { status: 429, headers: { 'Retry-After': '7' } }));
    openPage('/submit');
    await send();
    expect(await screen.findByTestId('submit-error')).toHaveTextContent('Retry in 7 s');
    expect(screen.getByTestId('alert-data-input')).toHaveValue('Something broke');
  });
});

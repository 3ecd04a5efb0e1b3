import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { run } from 'axe-core';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { sessionDetail, sessionItem, sessionPage } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';
import { openSession, serveSession, SESSION_ID } from '../../test/session';
import { verdict } from '../../test/verdict';

const OTHER_ID = 'bbbbbbbb-0000-7000-8000-000000000002';
const path = `/compare?first=${SESSION_ID}&second=${OTHER_ID}`;

function side(id: string, changes: object = {}) {
  return {
    session_id: id,
    report: { status: 'completed', final_analysis: 'The disk is full.\n\nDelete the logs.' },
    tool_calls: 2,
    failed_tool_calls: 0,
    claims: { claims: 4, supported: 4 },
    usage: { providers: ['google'], llm_calls: 3, total_tokens: 1200, duration_ms: 60_000 },
    ...changes,
  };
}

const same = { same_calls: true, same_results: true, same_report: true, differences: [] };

function serve(changes: object = {}, verdicts: readonly unknown[] = [null, null]) {
  const comparison = { first: side(SESSION_ID), second: side(OTHER_ID), ...same, ...changes };
  const [first, second] = verdicts;
  server.use(
    answer(`/api/v1/sessions/${SESSION_ID}/comparison`, comparison),
    answer(`/api/v1/sessions/${SESSION_ID}`, sessionDetail({ verdict: first })),
    answer(`/api/v1/sessions/${OTHER_ID}`, sessionDetail({ id: OTHER_ID, verdict: second })),
  );
}

const findPart = async (testId: string) => within(await screen.findByTestId(testId));

describe('a comparison', () => {
  it('shows what differs, and folds what does not', async () => {
    const changed = side(OTHER_ID, {
      report: { status: 'failed', final_analysis: 'The disk is full.\n\nGrow the volume.' },
      tool_calls: 3,
      failed_tool_calls: 1,
      claims: { claims: 4, supported: 2, unsupported: 1, ghost_citations: 1 },
    });
    const df = { server: 'host', tool: 'df', arguments: { path: '/var' }, first: 0, second: 1 };
    serve({ ...same, second: changed, same_calls: false, same_report: false, differences: [df] }, [
      verdict(),
      verdict({ cause: 'The volume is too small' }),
    ]);
    const { container } = openPage(path);
    const row = await screen.findByTestId('call-difference');
    expect(row).toHaveTextContent('host.df only the second path=/var');
    const figures = () => screen.getAllByTestId('figure').map(({ textContent }) => textContent);
    await waitFor(() => expect(figures().join()).toContain('The volume is too small'));
    expect(figures()).toContain('StatusCompletedFailed');
    expect(figures()).toContain(
      'Claims4 of 4 supported2 of 4 supported, 1 not supported, 1 of calls that were not made',
    );
    expect(figures().join()).not.toContain('Duration');
    const folded = within(screen.getByTestId('same-figures'));
    await userEvent.setup().click(folded.getByRole('button'));
    expect(folded.getByText(/Duration:/)).toHaveTextContent('1 m 00 s');
    const verdicts = await findPart('compared-verdicts');
    expect(verdicts.getByRole('heading', { name: 'The volume is too small' })).toBeVisible();
    const report = await findPart('compared-reports');
    const text = report.getByTestId('changed-text');
    await waitFor(() => expect(text).toHaveTextContent('FirstDelete the logs.'));
    expect(text).toHaveTextContent('SecondGrow the volume.');
    expect(report.getByRole('button', { name: '1 identical paragraph' })).toBeInTheDocument();
    const { violations } = await run(container, {
      rules: { 'color-contrast': { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });

  it('of two equal sessions says so', async () => {
    serve({}, [verdict(), verdict()]);
    openPage(path);
    expect(await screen.findByText('All figures are the same.')).toBeInTheDocument();
    expect(await screen.findByTestId('compared-calls')).toHaveTextContent(
      'Both made the same 2 calls in the same order. The results of the calls that both made are the same',
    );
    expect(screen.getByTestId('compared-reports')).toHaveTextContent('byte by byte');
    const verdicts = await findPart('compared-verdicts');
    expect(
      verdicts.getByRole('button', { name: 'Both have the same verdict' }),
    ).toBeInTheDocument();
    expect(screen.queryByTestId('changed-text')).not.toBeInTheDocument();
  });

  it('of two alerts says that they differ, and marks what models wrote', async () => {
    const df = { server: 'host', tool: 'df', arguments: {}, first: 2, second: 0 };
    const ps = { ...df, tool: 'ps', first: 0, second: 2 };
    serve({ same_calls: false, differences: [df, ps] });
    const other = { id: OTHER_ID, title: 'Disk \u202Efull', fingerprint: 'abc', degraded: true };
    server.use(answer(`/api/v1/sessions/${OTHER_ID}`, sessionDetail(other)));
    openPage(path);
    expect(await screen.findByTestId('different-alerts')).toBeVisible();
    const figures = screen.getAllByTestId('figure').map(({ textContent }) => textContent);
    expect(figures).toContain('AlertHostDiskPressureDisk [U+202E]full');
    expect(figures).toContain('DegradednoThe findings need a second look.');
    expect(screen.getByTestId('compared-calls')).toHaveTextContent('No call was made by both.');
    const report = await findPart('compared-reports');
    expect(report.getByText('AI-generated. Verify before you act.')).toBeVisible();
    await waitFor(() =>
      expect(document.title).toContain('Compare: HostDiskPressure and Disk [U+202E]full'),
    );
  });

  it('with a session that is gone asks for others', async () => {
    serve();
    server.use(answer(`/api/v1/sessions/${SESSION_ID}/comparison`, { title: 'Not found' }, 404));
    openPage(path);
    expect(await screen.findByTestId('error-state')).toHaveTextContent('A session was not found');
  });

  it('that fails is tried again', async () => {
    const problem = { title: 'Unavailable', detail: 'The database is unavailable.' };
    serve();
    server.use(answer(`/api/v1/sessions/${SESSION_ID}/comparison`, problem, 503));
    openPage(path);
    const error = within(await screen.findByTestId('error-state'));
    serve();
    await userEvent.setup().click(error.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByTestId('comparison')).toBeInTheDocument();
  });

  it('without sessions asks for their ids', async () => {
    serve();
    const { router } = openPage('/compare');
    const user = userEvent.setup();
    await user.type(await screen.findByLabelText("The first session's ID"), 'nothing{Enter}');
    expect(screen.getByText(/This is not a session ID/)).toBeInTheDocument();
    await user.clear(screen.getByLabelText("The first session's ID"));
    const address = `https://tarsy.example/sessions/${SESSION_ID}`;
    await user.type(screen.getByLabelText("The first session's ID"), `${address}{Enter}`);
    await user.type(await screen.findByLabelText("The other session's ID"), `${OTHER_ID}{Enter}`);
    expect(await screen.findByTestId('comparison')).toBeInTheDocument();
    expect(router.state.location.search).toBe(`?first=${SESSION_ID}&second=${OTHER_ID}`);
  });
});

describe('the control on the session page', () => {
  it('offers the sessions of the same alert', async () => {
    serveSession({ status: 'completed', title: 'Disk full' });
    const rerun = { id: OTHER_ID, title: 'Disk full', alert_type: 'deep', chain_id: 'host-deep' };
    server.use(
      http.get('/api/v1/sessions', ({ request }) => {
        const ofType = new URL(request.url).searchParams.has('alert_type');
        const others = [
          sessionItem(rerun),
          sessionItem({ id: 'cccccccc-0000-7000-8000-000000000003', title: 'Other' }),
        ];
        const all = [sessionItem({ title: 'Disk full' }), ...(ofType ? [] : others)];
        return HttpResponse.json(sessionPage(all));
      }),
    );
    serve();
    serveSession({ status: 'completed', title: 'Disk full' });
    const { router } = openSession();
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Compare with…' }));
    const [candidate, ...others] = await screen.findAllByTestId('compare-candidate');
    expect(candidate).toHaveTextContent('host-deep');
    expect(others).toEqual([]);
    await user.click(within(candidate ?? document.body).getByRole('link'));
    await waitFor(() => expect(router.state.location.pathname).toBe('/compare'));
    expect(router.state.location.search).toBe(`?first=${SESSION_ID}&second=${OTHER_ID}`);
  });

  it('offers the session that was replayed, first', async () => {
    serveSession({ status: 'completed', replay_of: OTHER_ID });
    openSession();
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Compare with…' }));
    const original = await screen.findByRole('link', { name: 'The session that this one replays' });
    expect(original).toHaveAttribute('href', `/compare?first=${OTHER_ID}&second=${SESSION_ID}`);
  });

  it('replays with a provider that can be called', async () => {
    const replay = vi.fn<(body: unknown) => void>();
    serveSession({ status: 'completed' });
    const llm = { provider: 'played', model: 'm', backend: 'native', offline: false, message: '' };
    const providers = [
      { name: 'second', model: 'gpt-second', usable: true, reason: null },
      { name: 'third', model: 'gpt-third', usable: false, reason: 'KEY is not set' },
    ];
    server.use(
      answer('/api/v1/system/info', { version: '0.1.0', llm, providers }),
      http.post(`/api/v1/sessions/${SESSION_ID}/replay`, async ({ request }) => {
        replay(await request.json());
        return HttpResponse.json({ session_id: OTHER_ID }, { status: 202 });
      }),
      answer(`/api/v1/sessions/${OTHER_ID}`, sessionDetail({ id: OTHER_ID })),
      answer(`/api/v1/sessions/${OTHER_ID}/timeline`, []),
    );
    const { router } = openSession();
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Replay with…' }));
    await user.click(await screen.findByRole('combobox', { name: 'Provider' }));
    const options = await screen.findAllByRole('option');
    expect(options.map(({ textContent }) => textContent)).toEqual([
      'As in the original',
      'second: gpt-second',
    ]);
    await user.click(await screen.findByRole('option', { name: /^second/ }));
    await user.click(screen.getByRole('button', { name: 'Replay' }));
    await waitFor(() => expect(router.state.location.pathname).toBe(`/sessions/${OTHER_ID}`));
    expect(replay).toHaveBeenCalledWith({ provider: 'second' });
  });

  it('says why it cannot be replayed', async () => {
    serveSession({ status: 'completed' });
    const problem = { title: 'Conflict', detail: 'its record has no tools' };
    server.use(
      http.post(`/api/v1/sessions/${SESSION_ID}/replay`, () =>
        HttpResponse.json(problem, { status: 409 }),
      ),
    );
    openSession();
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Replay with…' }));
    await user.click(await screen.findByRole('button', { name: 'Replay' }));
    expect(await screen.findByText('its record has no tools')).toBeVisible();
  });

  it('says when it found none', async () => {
    serveSession({ status: 'completed' });
    openSession();
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Compare with…' }));
    expect(await screen.findByText(/No other session of this alert was found/)).toBeVisible();
  });
});

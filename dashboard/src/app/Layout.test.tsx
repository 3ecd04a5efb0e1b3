import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { http, HttpResponse } from 'msw';
import { keys } from '../api/keys';
import { pageReload } from '../lib/browser/pageReload';
import { sessionPage, sessionItem } from '../test/builders';
import { openPage } from '../test/render';
import { answer, server } from '../test/server';
import { pageRoutes } from './routes';

/** Lets the system page fail with this message. */
function breakSystemPage(message: string): void {
  const Broken = () => {
    throw new Error(message);
  };
  const page = pageRoutes.find(({ path }) => path === '/system');
  const whole = { ...page };
  Object.assign(page ?? {}, { Page: Broken });
  onTestFinished(() => void Object.assign(page ?? {}, whole));
  // React logs the error of the broken page.
  vi.spyOn(console, 'error').mockImplementation(() => {});
}

describe('the layout', () => {
  it('shows a banner while live updates are disconnected', async () => {
    const { relay } = openPage('/');
    await screen.findByRole('heading', { name: 'Sessions' });
    expect(screen.queryByTestId('disconnected-banner')).not.toBeInTheDocument();
    relay.disconnect();
    expect(screen.getByTestId('disconnected-banner')).toHaveTextContent(
      'Live updates are disconnected. Reconnecting…',
    );
    await waitFor(() => expect(relay.connections).toBe(2));
    relay.open();
    expect(screen.queryByTestId('disconnected-banner')).not.toBeInTheDocument();
  });

  it('shows at once that the network is gone, and reads again what failed when it is back', async () => {
    server.use(http.get('/api/v1/sessions', () => HttpResponse.error()));
    const { relay } = openPage('/');
    expect(await screen.findByTestId('error-state')).toHaveTextContent('did not respond');
    act(() => void window.dispatchEvent(new Event('offline')));
    expect(screen.getByTestId('disconnected-banner')).toBeInTheDocument();
    server.use(answer('/api/v1/sessions', sessionPage([sessionItem()])));
    act(() => void window.dispatchEvent(new Event('online')));
    relay.open();
    expect(await screen.findByTestId('session-row')).toBeInTheDocument();
  });

  it('shows a banner while TARSy is degraded', async () => {
    server.use(answer('/health', { status: 'degraded', version: '1', checks: {} }, 503));
    openPage('/');
    expect(await screen.findByTestId('degraded-banner')).toHaveTextContent('TARSy is degraded');
  });

  it('refetches failed queries when TARSy is healthy again', async () => {
    const unavailable = { title: 'Unavailable', detail: 'The database is unavailable.' };
    server.use(
      answer('/health', { status: 'unhealthy', version: '0.1.0', checks: {} }, 503),
      answer('/api/v1/sessions', unavailable, 503),
    );
    const { client } = openPage('/');
    expect(await screen.findByTestId('error-state')).toHaveTextContent(
      'The database is unavailable.',
    );
    expect(await screen.findByTestId('degraded-banner')).toBeInTheDocument();
    server.use(
      answer('/health', { status: 'healthy', version: '0.1.0', checks: {} }),
      answer('/api/v1/sessions', sessionPage([sessionItem()])),
    );
    await act(() => client.invalidateQueries({ queryKey: keys.health }));
    expect(await screen.findByTestId('session-row')).toBeInTheDocument();
    expect(screen.queryByTestId('error-state')).not.toBeInTheDocument();
  });

  it('keeps its navigation when a page fails to render', async () => {
    breakSystemPage('render failed');
    const { router } = openPage('/');
    await screen.findByRole('heading', { name: 'Sessions' });
    await router.navigate('/system');
    expect(await screen.findByTestId('error-state')).toHaveTextContent('render failed');
    expect(screen.getByRole('navigation', { name: 'Main' })).toBeInTheDocument();
    await router.navigate('/');
    expect(await screen.findByRole('heading', { name: 'Sessions' })).toBeInTheDocument();
  });

  it('loads itself anew when the server is back that did not send a page', async () => {
    const reloaded = vi.spyOn(pageReload, 'run').mockImplementation(() => {});
    breakSystemPage('Failed to fetch dynamically imported module: /assets/System.js');
    const { relay, router } = openPage('/');
    relay.open();
    await screen.findByRole('heading', { name: 'Sessions' });
    await router.navigate('/system');
    expect(await screen.findByTestId('error-state')).toHaveTextContent('Could not load this page');
    expect(reloaded).not.toHaveBeenCalled();
    relay.disconnect();
    expect(reloaded).not.toHaveBeenCalled();
    await waitFor(() => expect(relay.connections).toBe(2), { timeout: 3000 });
    relay.open();
    expect(reloaded).toHaveBeenCalledTimes(1);
  });

  it('shows a banner when the server has a newer version than the page', async () => {
    const { client } = openPage('/');
    await screen.findByRole('heading', { name: 'Sessions' });
    await waitFor(() => expect(client.getQueryData(keys.health)).toBeDefined());
    expect(screen.queryByTestId('update-banner')).not.toBeInTheDocument();
    server.use(answer('/health', { status: 'healthy', version: '0.2.0', checks: {} }));
    await act(() => client.invalidateQueries({ queryKey: keys.health }));
    expect(await screen.findByTestId('update-banner')).toHaveTextContent(
      'TARSy was updated to 0.2.0. This page was loaded from version 0.1.0.',
    );
  });

  it('reports an expired sign-in when a proxy redirects to its sign-in page', async () => {
    server.use(
      http.get('/api/v1/sessions', () => HttpResponse.redirect('https://login.example/', 302)),
      http.get('/api/v1/sessions/active', () => new HttpResponse('no', { status: 401 })),
    );
    openPage('/');
    await waitFor(() =>
      expect(screen.getAllByText('Your sign-in may have expired.', { exact: false })).toHaveLength(
        2,
      ),
    );
  });

  it('shows the offline analyst and how to set an API key', async () => {
    const llm = { provider: 'offline', offline: true, message: 'No LLM API key is set.' };
    server.use(answer('/api/v1/system/info', { version: '1', llm }));
    const user = userEvent.setup();
    openPage('/');
    const banner = await screen.findByTestId('offline-banner');
    expect(banner).toHaveTextContent('No LLM API key is set.');
    await user.click(within(banner).getByRole('button', { name: 'How to set an API key' }));
    expect(await screen.findByTestId('key-help')).toHaveTextContent('ANTHROPIC_API_KEY');
  });

  it('dismisses notices for good', async () => {
    const llm = { provider: 'offline', offline: true, message: 'No LLM API key is set.' };
    server.use(answer('/api/v1/system/info', { version: '1', llm }));
    const user = userEvent.setup();
    const { unmount } = openPage('/');
    const banner = await screen.findByTestId('offline-banner');
    await user.click(within(banner).getByRole('button', { name: 'Dismiss' }));
    expect(banner).not.toBeInTheDocument();
    unmount();
    const { client } = openPage('/');
    await waitFor(() => expect(client.getQueryData(keys.systemInfo)).toBeDefined());
    expect(screen.queryByTestId('offline-banner')).not.toBeInTheDocument();
  });

  it('reads what notices need after the page', async () => {
    const { client, unmount } = openPage('/', { backgroundDelayMs: 60_000 });
    await screen.findByText('No sessions yet');
    expect(client.getQueryState(keys.health)?.fetchStatus).toBe('idle');
    expect(client.getQueryState(keys.warnings)).toBeUndefined();
    unmount();
    const { client: later } = openPage('/', { backgroundDelayMs: 1 });
    await waitFor(() => expect(later.getQueryData(keys.health)).toBeDefined());
    await waitFor(() => expect(later.getQueryData(keys.warnings)).toBeDefined());
  });

  it('lists the usable providers on the system page', async () => {
    const llm = { provider: 'mine', model: 'm', backend: 'langchain', offline: false };
    const providers = [
      { name: 'mine', usable: true },
      { name: 'openai-default', usable: false, missing_variables: ['OPENAI_API_KEY'] },
      { name: 'offline', usable: true },
    ];
    server.use(answer('/api/v1/system/info', { version: '1', llm, providers }));
    openPage('/system');
    const panel = await screen.findByTestId('providers');
    expect(panel).toHaveTextContent('Providers (2 of 3 usable)');
    const rows = within(panel)
      .getAllByTestId('provider')
      .map((row) => row.textContent);
    expect(rows[0]).toMatch(/^mineUsable/);
    expect(rows[1]).toMatch(/^offlineUsable/);
    expect(rows[2]).toMatch(/^openai-defaultNot usable/);
  });

  it('starts its tab order with a skip link', async () => {
    const user = userEvent.setup();
    openPage('/');
    await screen.findByRole('heading', { name: 'Sessions' });
    await user.tab();
    expect(screen.getByRole('link', { name: 'Skip to main content' })).toHaveFocus();
  });

  it('shows an unknown path as not found', async () => {
    openPage('/nowhere');
    expect(await screen.findByTestId('not-found')).toBeInTheDocument();
  });
});

describe('the system page', () => {
  it('shows tool servers and warnings', async () => {
    server.use(
      answer('/api/v1/system/mcp-servers', {
        servers: [
          {
            id: 'host',
            healthy: true,
            tool_count: 1,
            tools: [{ name: 'df', description: 'Disks' }],
          },
          { id: 'k8s', healthy: false, tool_count: 0, tools: null, error: 'connection refused' },
        ],
      }),
      answer('/api/v1/system/warnings', {
        warnings: [
          { id: '1', category: 'mcp_health', message: 'k8s is unavailable', details: 'refused' },
        ],
      }),
    );
    const user = userEvent.setup();
    openPage('/system');
    const [host, k8s] = await screen.findAllByTestId('mcp-server');
    expect(host).toHaveTextContent('Healthy');
    expect(k8s).toHaveTextContent('Unhealthy');
    expect(k8s).toHaveTextContent('connection refused');
    await user.click(await screen.findByRole('button', { name: '1 tool' }));
    await waitFor(() => expect(host).toHaveTextContent('Disks'));
    expect(await screen.findByTestId('warning')).toHaveTextContent('k8s is unavailable');
  });
});

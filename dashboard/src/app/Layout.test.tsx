import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { http, HttpResponse } from 'msw';
import { keys } from '../api/keys';
import { historyOf, sessionItem } from '../test/builders';
import { openPage } from '../test/render';
import { answer, server } from '../test/server';

describe('the frame', () => {
  it('says when live updates are paused, and no longer once they are back', async () => {
    const { relay } = openPage('/');
    await screen.findByRole('heading', { name: 'Sessions' });
    expect(screen.queryByTestId('disconnected-banner')).not.toBeInTheDocument();
    relay.lose();
    expect(screen.getByTestId('disconnected-banner')).toHaveTextContent(
      'Live updates are paused, reconnecting…',
    );
    await waitFor(() => expect(relay.connections).toBe(2));
    relay.open();
    expect(screen.queryByTestId('disconnected-banner')).not.toBeInTheDocument();
  });

  it('says when the relay or TARSy is degraded', async () => {
    server.use(answer('/health', { status: 'degraded', version: '1', checks: {} }, 503));
    openPage('/');
    expect(await screen.findByTestId('degraded-banner')).toHaveTextContent('TARSy is degraded');
  });

  it('reads what it could not read when TARSy is well again', async () => {
    const away = { title: 'Unavailable', detail: 'The database is away.' };
    server.use(
      answer('/health', { status: 'unhealthy', version: '0.1.0', checks: {} }, 503),
      answer('/api/v1/sessions', away, 503),
    );
    const { client } = openPage('/');
    expect(await screen.findByTestId('error-state')).toHaveTextContent('The database is away.');
    expect(await screen.findByTestId('degraded-banner')).toBeInTheDocument();
    server.use(
      answer('/health', { status: 'healthy', version: '0.1.0', checks: {} }),
      answer('/api/v1/sessions', historyOf([sessionItem()])),
    );
    await act(() => client.invalidateQueries({ queryKey: keys.health }));
    expect(await screen.findByTestId('session-row')).toBeInTheDocument();
    expect(screen.queryByTestId('error-state')).not.toBeInTheDocument();
  });

  it('keeps its navigation when a page fails to draw', async () => {
    const { router } = openPage('/');
    await screen.findByRole('heading', { name: 'Sessions' });
    // An answer that passes the check and breaks a page is a mistake of ours; so is a broken page here.
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const Broken = () => {
      throw new Error('drawn badly');
    };
    const page = router.routes[0]?.children?.[0]?.children?.find(({ path }) => path === 'system');
    Object.assign(page ?? {}, { lazy: undefined, element: <Broken /> });
    await act(() => router.navigate('/system'));
    expect(await screen.findByTestId('error-state')).toHaveTextContent('drawn badly');
    expect(screen.getByRole('navigation', { name: 'Main' })).toBeInTheDocument();
  });

  it('says when another version answers than the one the page was opened with', async () => {
    const { client } = openPage('/');
    await screen.findByRole('heading', { name: 'Sessions' });
    await waitFor(() => expect(client.getQueryData(keys.health)).toBeDefined());
    expect(screen.queryByTestId('update-banner')).not.toBeInTheDocument();
    server.use(answer('/health', { status: 'healthy', version: '0.2.0', checks: {} }));
    await act(() => client.invalidateQueries({ queryKey: keys.health }));
    expect(await screen.findByTestId('update-banner')).toHaveTextContent(
      'TARSy was updated to 0.2.0; this page is of 0.1.0.',
    );
  });

  it('says that the reader is signed out where a proxy leads to its sign-in', async () => {
    server.use(
      http.get('/api/v1/sessions', () => HttpResponse.redirect('https://login.example/', 302)),
      http.get('/api/v1/sessions/active', () => new HttpResponse('no', { status: 401 })),
    );
    openPage('/');
    await waitFor(() =>
      expect(screen.getAllByText('Your sign-in may have ended.', { exact: false })).toHaveLength(2),
    );
  });

  it('says in plain words that no model is in use, and how to set a key', async () => {
    const llm = { provider: 'offline', offline: true, message: 'No LLM key is set: rules decide.' };
    server.use(answer('/api/v1/system/info', { version: '1', llm }));
    const user = userEvent.setup();
    openPage('/');
    const banner = await screen.findByTestId('offline-banner');
    expect(banner).toHaveTextContent('No LLM key is set: rules decide.');
    await user.click(within(banner).getByRole('button', { name: 'How to set a key' }));
    expect(await screen.findByTestId('key-help')).toHaveTextContent('ANTHROPIC_API_KEY');
  });

  it('keeps the chosen colours', async () => {
    const user = userEvent.setup();
    openPage('/');
    await user.click(await screen.findByRole('button', { name: 'Dark' }));
    expect(document.documentElement).toHaveAttribute('data-scheme', 'dark');
    expect(localStorage.getItem('mui-mode')).toBe('dark');
  });

  it('begins with a way past the navigation', async () => {
    const user = userEvent.setup();
    openPage('/');
    await screen.findByRole('heading', { name: 'Sessions' });
    await user.tab();
    expect(screen.getByRole('link', { name: 'Skip to the content' })).toHaveFocus();
  });

  it('knows that an address leads nowhere', async () => {
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
        warnings: [{ id: '1', category: 'mcp_health', message: 'k8s is away', details: 'refused' }],
      }),
    );
    const user = userEvent.setup();
    openPage('/system');
    const [host, k8s] = await screen.findAllByTestId('mcp-server');
    expect(host).toHaveTextContent('Healthy');
    expect(k8s).toHaveTextContent('Not healthy');
    expect(k8s).toHaveTextContent('connection refused');
    await user.click(screen.getByRole('button', { name: '1 tool' }));
    expect(host).toHaveTextContent('Disks');
    expect(await screen.findByTestId('warning')).toHaveTextContent('k8s is away');
  });
});

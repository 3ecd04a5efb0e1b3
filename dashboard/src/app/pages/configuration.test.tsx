import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http, HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { openPage } from '../../test/render';
import { server, signInAs } from '../../test/server';

const entry = { hidden: false, file: null, line: null, variables: [] };
const config = {
  config_hash: 'abcdef',
  process: [{ ...entry, path: 'TARSY_GRACE_SECONDS', value: '7', source: 'environment' }],
  values: [
    {
      ...entry,
      path: 'queue.worker_count',
      value: '3',
      source: 'file',
      file: 'conf/tarsy.yaml',
      line: 2,
    },
    {
      ...entry,
      path: 'mcp_servers.prometheus.transport.bearer_token',
      value: null,
      hidden: true,
      source: 'file',
      file: 'conf/tarsy.yaml',
      line: 8,
      variables: [{ name: 'PROMETHEUS_TOKEN', is_set: false }],
    },
  ],
};

/** Serves the configuration, and counts how often. */
function serveConfig() {
  const served = { times: 0 };
  server.use(
    http.get('/api/v1/system/config', () => {
      served.times += 1;
      return HttpResponse.json(config);
    }),
  );
  return served;
}

describe('the configuration on the system page', () => {
  it('is loaded when it is opened, and searched', async () => {
    signInAs('admin', ['read', 'read_config']);
    const served = serveConfig();
    const user = userEvent.setup();
    openPage('/system');
    const panel = within(await screen.findByTestId('configuration'));
    expect(served.times).toBe(0);
    await user.click(panel.getByRole('button', { name: /Every setting/ }));
    expect(await panel.findByText(/^3 settings/)).toBeInTheDocument();
    await user.click(panel.getByRole('button', { name: /^queue/ }));
    expect(panel.getByTestId('config-entry')).toHaveTextContent('worker_count3conf/tarsy.yaml:2');
    await user.type(panel.getByRole('textbox', { name: 'Search the configuration' }), 'token');
    expect(panel.getByRole('status')).toHaveTextContent('1 setting');
    expect(panel.getByTestId('config-entry')).toHaveTextContent(
      'transport.bearer_tokenHiddenconf/tarsy.yaml:8 · PROMETHEUS_TOKEN is not set here',
    );
    await user.type(panel.getByRole('textbox'), 'x');
    expect(panel.getByRole('status')).toHaveTextContent('No matching settings.');
    expect(served.times).toBe(1);
  });

  it('is not offered to those who may not read it', async () => {
    signInAs('viewer', ['read']);
    openPage('/system');
    await screen.findByTestId('about');
    expect(screen.queryByTestId('configuration')).toBeNull();
  });

  it('is reloaded, and says how far the services are', async () => {
    signInAs('admin', ['read', 'read_config', 'reload_config']);
    serveConfig();
    const services = { generation: 0 };
    const one = (service: string, generation: number) => ({
      service,
      instance: generation === 0 ? 'a' : `a-r${generation}`,
      config_hash: generation === 0 ? 'before' : 'after',
    });
    server.use(
      http.get('/api/v1/system/services', () =>
        HttpResponse.json({
          services: [one('orchestrator', services.generation), one('notifier', 0)].concat(
            services.generation > 1 ? [one('notifier', 1)] : [],
          ),
          missing: [],
        }),
      ),
      http.post('/api/v1/system/config/reload', () => {
        services.generation = 1;
        return HttpResponse.json({ config_hash: 'after', warnings: ['one key has no effect'] });
      }),
    );
    const user = userEvent.setup();
    openPage('/system');
    const panel = within(await screen.findByTestId('configuration'));
    await user.click(panel.getByRole('button', { name: 'Reload configuration' }));
    expect(await panel.findByText('Services restarted: 1 of 2')).toBeInTheDocument();
    services.generation = 2;
    expect(
      await panel.findByText('All services run with the current configuration.'),
    ).toBeInTheDocument();
    expect(panel.getByText('one key has no effect')).toBeInTheDocument();
  });

  it('says what is wrong with the files, and where', async () => {
    signInAs('admin', ['read', 'read_config', 'reload_config']);
    serveConfig();
    server.use(
      http.post('/api/v1/system/config/reload', () =>
        HttpResponse.json(
          {
            title: 'Invalid request',
            status: 400,
            message: 'the configuration is not valid',
            errors: [{ field: 'conf/tarsy.yaml:3 agent_chains', message: 'unknown key "stagges"' }],
          },
          { status: 400 },
        ),
      ),
    );
    const user = userEvent.setup();
    openPage('/system');
    const panel = within(await screen.findByTestId('configuration'));
    await user.click(panel.getByRole('button', { name: 'Reload configuration' }));
    expect(await panel.findByRole('alert')).toHaveTextContent(
      'Nothing was changed:conf/tarsy.yaml:3 agent_chains unknown key "stagges"',
    );
    expect(panel.getByRole('button', { name: 'Reload configuration' })).toBeEnabled();
  });
});

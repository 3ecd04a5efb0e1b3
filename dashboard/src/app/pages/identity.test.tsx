import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { sessionItem, sessionPage } from '../../test/builders';
import { openPage } from '../../test/render';
import { answer, server } from '../../test/server';
import { openSession, serveSession, SESSION_ID } from '../../test/session';

const alert = {
  title: 'Disk of web-1 is full',
  severity: 'critical',
  service: 'web',
  namespace: 'shop',
  cluster: 'eu-1',
};

const facts = ['critical', 'web · namespace shop · cluster eu-1', 'HostDiskPressure'];

it('the header and the window name the alert, with the pages of its sender', async () => {
  const links = [
    { title: 'Grafana', url: 'https://grafana.example/d/1' },
    { title: 'Bad', url: 'javascript:alert(1)' },
  ];
  serveSession({ ...alert, links, status: 'completed' });
  openSession();
  expect(await screen.findByRole('heading', { level: 1, name: alert.title })).toBeInTheDocument();
  const identity = within(screen.getByTestId('alert-identity'));
  for (const fact of facts) expect(identity.getByText(fact)).toBeInTheDocument();
  expect(identity.getByRole('link')).toHaveAttribute('href', links[0]?.url);
  expect(document.title).toContain('Completed: Disk of web-1 is full');
});

it('an alert without fields is named after its type', async () => {
  serveSession({ status: 'completed' });
  openSession();
  expect(await screen.findByRole('heading', { level: 1, name: 'HostDiskPressure' })).toBeVisible();
  expect(screen.queryByTestId('alert-identity')).not.toBeInTheDocument();
});

it('the list names the alerts', async () => {
  server.use(answer('/api/v1/sessions', sessionPage([sessionItem(alert)])));
  openPage('/');
  const row = await screen.findByTestId('session-row');
  expect(within(row).getByRole('link', { name: alert.title })).toBeInTheDocument();
  for (const fact of facts) expect(row).toHaveTextContent(fact);
});

it('a queued session shows its position', async () => {
  serveSession({ status: 'pending', started_at: null, stages: [] });
  const queued = [sessionItem({ id: SESSION_ID, status: 'pending', queue_position: 3 })];
  server.use(answer('/api/v1/sessions/active', { active: [], queued }));
  openSession();
  expect(await screen.findByText('Queued at position 3, waiting for a worker.')).toBeVisible();
});

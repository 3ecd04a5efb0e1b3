import { screen, waitFor, within } from '@testing-library/react';
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
  const identity = screen.getByTestId('alert-identity');
  for (const fact of facts) expect(identity).toHaveTextContent(fact);
  expect(within(identity).getByRole('link')).toHaveAttribute('href', links[0]?.url);
  await waitFor(() => expect(document.title).toContain('Completed: Disk of web-1 is full'));
});

it('an alert without fields is named after its type', async () => {
  serveSession({ status: 'completed' });
  openSession();
  expect(await screen.findByRole('heading', { level: 1, name: 'HostDiskPressure' })).toBeVisible();
  expect(screen.queryByTestId('alert-identity')).not.toBeInTheDocument();
});

const seenOften = {
  ...alert,
  links: [{ title: 'Grafana', url: 'https://grafana.example/d/1' }],
  fingerprint: 'disk of web-1',
  earlier_sessions: { count: 100, last_session_id: null },
};

/** What a row says and where its links lead. */
async function readRow(testId: string) {
  const row = await screen.findByTestId(testId);
  const hrefOf = (name: string) => within(row).getByRole('link', { name }).getAttribute('href');
  return {
    missing: facts.filter((fact) => !row.textContent.includes(fact)),
    links: [alert.title, 'seen 100+× before'].map(hrefOf),
  };
}

const expectedRow = {
  missing: [],
  links: [`/sessions/${SESSION_ID}`, '/?fingerprint=disk%20of%20web-1'],
};

it('the list names the alerts, with their history', async () => {
  server.use(answer('/api/v1/sessions', sessionPage([sessionItem(seenOften)])));
  openPage('/');
  expect(await readRow('session-row')).toEqual(expectedRow);
});

it.each(['active', 'queued'])('so does the list of %s sessions', async (state) => {
  const status = state === 'active' ? 'in_progress' : 'pending';
  const lists = { active: [], queued: [], [state]: [sessionItem({ ...seenOften, status })] };
  server.use(answer('/api/v1/sessions/active', lists));
  openPage('/');
  expect(await readRow('active-session')).toEqual(expectedRow);
});

it('a name from right to left does not reorder what is beside it', async () => {
  serveSession({ ...alert, service: 'خدمة', status: 'completed' });
  openSession();
  const place = await screen.findByTestId('alert-place');
  const parts = [...place.querySelectorAll('bdi')].map(({ textContent }) => textContent);
  expect(parts).toEqual(['خدمة', 'namespace shop', 'cluster eu-1']);
});

it('the alert has its labels', async () => {
  serveSession({ ...alert, labels: { pod: 'web-1', 'app\u202Eppa': 'x' }, status: 'completed' });
  openSession();
  const panel = await screen.findByTestId('alert-data');
  expect(panel).toHaveTextContent('Labelspod=web-1app[U+202E]ppa=x');
});

it('a queued session shows its position', async () => {
  serveSession({ status: 'pending', started_at: null, stages: [] });
  const queued = [sessionItem({ id: SESSION_ID, status: 'pending', queue_position: 3 })];
  server.use(answer('/api/v1/sessions/active', { active: [], queued }));
  openSession();
  expect(await screen.findByText('Queued at position 3, waiting for a worker.')).toBeVisible();
});

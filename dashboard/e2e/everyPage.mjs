/** Every page, for the scripts that visit all of them. */
import * as e2e from './harness.mjs';

const { byTestId } = e2e;

/** The pages, with what each shows once it is loaded. */
export const pagesOf = (id, other) => [
  { name: 'sessions', path: '/', shows: byTestId('session-row') },
  { name: 'search', path: '/search?q=disk', shows: byTestId('search-hit') },
  {
    name: 'overview',
    path: '/overview',
    shows: `${byTestId('outcome-chart')} svg .MuiBarChart-element:not([height="0"])`,
  },
  {
    name: 'prevention',
    path: '/prevention',
    shows: `${byTestId('recurring-causes')}, ${byTestId('prevention-empty')}`,
  },
  { name: 'submit', path: '/submit', shows: byTestId('alert-data-input') },
  { name: 'session', path: `/sessions/${id}`, shows: byTestId('session-details') },
  { name: 'trace', path: `/sessions/${id}/trace`, shows: byTestId('trace-row') },
  {
    name: 'waterfall',
    path: `/sessions/${id}/trace?view=waterfall`,
    shows: byTestId('waterfall'),
  },
  { name: 'report', path: `/sessions/${id}/report`, shows: 'main h2' },
  {
    name: 'compare',
    path: `/compare?first=${id}&second=${other}`,
    shows: byTestId('compared-calls'),
  },
  { name: 'received-alerts', path: '/received-alerts', shows: byTestId('received-alerts') },
  {
    name: 'schedules',
    path: '/schedules',
    shows: `${byTestId('schedule')}, ${byTestId('no-schedules')}`,
  },
  { name: 'memories', path: '/memories', shows: byTestId('memories') },
  { name: 'system', path: '/system', shows: byTestId('service') },
  { name: 'connect', path: '/connect?system=prometheus', shows: byTestId('connect-form') },
  { name: 'approvals', path: '/approvals', shows: byTestId('no-approvals') },
  { name: 'tokens', path: '/tokens', shows: byTestId('create-token') },
  { name: 'audit-log', path: '/audit-log', shows: byTestId('audit-entry') },
  { name: 'settings', path: '/settings', shows: byTestId('settings') },
  { name: 'documentation', path: '/documentation/operating', shows: byTestId('documentation') },
  { name: 'not-found', path: '/no-such-page', shows: 'h1' },
];

/** Two sessions of an alert type with a chain, the later one first. Those of `TARSY_SESSIONS`, where it is set. */
export async function twoSessions(page, title) {
  const given = e2e.setting('TARSY_SESSIONS');
  if (given !== undefined) return given.split(',');
  await e2e.completeSession(page, e2e.alertType, 'The first of two alerts');
  const first = e2e.sessionIdOf(page);
  await e2e.completeSession(page, e2e.alertType, title);
  return [e2e.sessionIdOf(page), first];
}

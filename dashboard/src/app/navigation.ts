/** The pages of the navigation. */
import { useQuery } from '@tanstack/react-query';
import { meQuery, useMay, type Permission } from '../api/access';
import { pages } from '../lib/browser/paths';

export interface NavigationEntry {
  readonly to: string;
  readonly title: string;
  /** The key that opens it after `g`. */
  readonly key: string;
}

export const sessions: NavigationEntry = { to: pages.sessions, title: 'Sessions', key: 's' };
export const search: NavigationEntry = { to: pages.search, title: 'Search', key: 'f' };
export const overview: NavigationEntry = { to: pages.overview, title: 'Overview', key: 'o' };
export const prevention: NavigationEntry = { to: pages.prevention, title: 'Prevention', key: 'v' };
export const submit: NavigationEntry = { to: pages.submit, title: 'Submit', key: 'n' };
export const approvals: NavigationEntry = { to: pages.approvals, title: 'Approvals', key: 'p' };
export const system: NavigationEntry = { to: pages.system, title: 'System', key: 'y' };
export const receivedAlerts: NavigationEntry = {
  to: pages.receivedAlerts,
  title: 'Received alerts',
  key: 'r',
};

export const schedules: NavigationEntry = { to: pages.schedules, title: 'Schedules', key: 'c' };

export const memories: NavigationEntry = { to: pages.memories, title: 'Memories', key: 'm' };
export const settings: NavigationEntry = { to: pages.settings, title: 'Settings', key: ',' };

const administration: readonly (NavigationEntry & { readonly permission: Permission })[] = [
  { to: pages.tokens, title: 'API tokens', key: 't', permission: 'manage_tokens' },
  { to: pages.auditLog, title: 'Audit log', key: 'a', permission: 'read_audit_log' },
];

/** The pages of administrators that the user may open. */
export function useAdministration(): readonly NavigationEntry[] {
  const { data: me } = useQuery(meQuery);
  return administration.filter(({ permission }) => me?.permissions.includes(permission));
}

/** All pages that the user may open. */
export function usePages(): readonly NavigationEntry[] {
  const maySubmit = useMay('submit_alert');
  const administered = useAdministration();
  return [
    sessions,
    approvals,
    search,
    overview,
    prevention,
    ...(maySubmit ? [submit] : []),
    receivedAlerts,
    schedules,
    memories,
    system,
    ...administered,
    settings,
  ];
}

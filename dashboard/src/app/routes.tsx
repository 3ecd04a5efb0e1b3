import { lazy, Suspense, useMemo, type ComponentType } from 'react';
import { matchPath, RouteParams, useLocation } from '../lib/router';
import { Layout } from './Layout';
import { NotFoundPage } from './pages/NotFoundPage';
import { trackLoading } from './pageLoading';
import { RouteError } from './RouteError';

interface PageRoute {
  readonly path: string;
  readonly Page: ComponentType;
}

/** A page that is its own chunk. */
function route(path: string, load: () => Promise<ComponentType>): PageRoute {
  return { path, Page: lazy(async () => ({ default: await trackLoading(load()) })) };
}

/** The pages with the app bar. */
export const pageRoutes: readonly PageRoute[] = [
  route('/', async () => (await import('./pages/SessionsPage')).SessionsPage),
  route('/search', async () => (await import('./pages/SearchPage')).SearchPage),
  route('/overview', async () => (await import('./pages/OverviewPage')).OverviewPage),
  route('/prevention', async () => (await import('./pages/PreventionPage')).PreventionPage),
  route('/submit', async () => (await import('./pages/SubmitPage')).SubmitPage),
  route('/approvals', async () => (await import('./pages/ApprovalsPage')).ApprovalsPage),
  route('/system', async () => (await import('./pages/SystemPage')).SystemPage),
  route('/connect', async () => (await import('./pages/ConnectPage')).ConnectPage),
  route(
    '/received-alerts',
    async () => (await import('./pages/ReceivedAlertsPage')).ReceivedAlertsPage,
  ),
  route('/schedules', async () => (await import('./pages/SchedulesPage')).SchedulesPage),
  route('/memories', async () => (await import('./pages/MemoriesPage')).MemoriesPage),
  route('/tokens', async () => (await import('./pages/TokensPage')).TokensPage),
  route('/audit-log', async () => (await import('./pages/AuditLogPage')).AuditLogPage),
  route(
    '/documentation/*',
    async () => (await import('./pages/DocumentationPage')).DocumentationPage,
  ),
  route('/settings', async () => (await import('./pages/SettingsPage')).SettingsPage),
  route('/sessions/:id', async () => (await import('./pages/SessionPage')).SessionPage),
  route('/sessions/:id/trace', async () => (await import('./pages/TracePage')).TracePage),
  route('/sessions/:id/report', async () => (await import('./pages/ReportPage')).ReportPage),
  route('/compare', async () => (await import('./pages/ComparePage')).ComparePage),
];

const signInRoutes: readonly PageRoute[] = [
  route('/sign-in', async () => (await import('./pages/SignInPage')).SignInPage),
  route('/signed-in', async () => (await import('./pages/SignedInPage')).SignedInPage),
];

/** What a path shows. */
function findPage(pathname: string) {
  for (const routes of [signInRoutes, pageRoutes]) {
    for (const { path, Page } of routes) {
      const params = matchPath(path, pathname);
      if (params !== null) return { Page, params, framed: routes === pageRoutes };
    }
  }
  return { Page: NotFoundPage, params: {}, framed: true };
}

/** The page of the URL. While the code of the next page is loaded, the last one stays. */
export function AppRoutes() {
  const { pathname } = useLocation();
  const { Page, params, framed } = useMemo(() => findPage(pathname), [pathname]);
  return (
    <RouteError>
      <Suspense fallback={null}>
        <RouteParams value={params}>
          {framed ? (
            <Layout>
              <Page />
            </Layout>
          ) : (
            <Page />
          )}
        </RouteParams>
      </Suspense>
    </RouteError>
  );
}

import { lazy, Suspense, type ComponentType } from 'react';
import { Route, Routes } from 'react-router';
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
  { path: '*', Page: NotFoundPage },
];

const signInRoutes: readonly PageRoute[] = [
  route('/sign-in', async () => (await import('./pages/SignInPage')).SignInPage),
  route('/signed-in', async () => (await import('./pages/SignedInPage')).SignedInPage),
];

const toRoute = ({ path, Page }: PageRoute) => <Route key={path} path={path} element={<Page />} />;

/** The page of the URL. While the code of the next page is loaded, the last one stays. */
export function AppRoutes() {
  return (
    <RouteError>
      <Suspense fallback={null}>
        <Routes>
          <Route element={<Layout />}>{pageRoutes.map(toRoute)}</Route>
          {signInRoutes.map(toRoute)}
        </Routes>
      </Suspense>
    </RouteError>
  );
}

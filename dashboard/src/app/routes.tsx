import { createBrowserRouter, type RouteObject } from 'react-router';
import { Layout } from './Layout';
import { NotFoundPage } from './pages/NotFoundPage';
import { RouteError } from './RouteError';

/** Pages are loaded lazily, each as its own chunk. */
export const routes: RouteObject[] = [
  {
    path: '/',
    Component: Layout,
    errorElement: <RouteError />,
    HydrateFallback: () => null,
    children: [
      {
        errorElement: <RouteError framed />,
        children: [
          {
            index: true,
            lazy: async () => ({ Component: (await import('./pages/SessionsPage')).SessionsPage }),
          },
          {
            path: 'search',
            lazy: async () => ({ Component: (await import('./pages/SearchPage')).SearchPage }),
          },
          {
            path: 'overview',
            lazy: async () => ({ Component: (await import('./pages/OverviewPage')).OverviewPage }),
          },
          {
            path: 'submit',
            lazy: async () => ({ Component: (await import('./pages/SubmitPage')).SubmitPage }),
          },
          {
            path: 'system',
            lazy: async () => ({ Component: (await import('./pages/SystemPage')).SystemPage }),
          },
          {
            path: 'received-alerts',
            lazy: async () => ({
              Component: (await import('./pages/ReceivedAlertsPage')).ReceivedAlertsPage,
            }),
          },
          {
            path: 'tokens',
            lazy: async () => ({ Component: (await import('./pages/TokensPage')).TokensPage }),
          },
          {
            path: 'audit-log',
            lazy: async () => ({ Component: (await import('./pages/AuditLogPage')).AuditLogPage }),
          },
          {
            path: 'sessions/:id',
            lazy: async () => ({ Component: (await import('./pages/SessionPage')).SessionPage }),
          },
          {
            path: 'sessions/:id/trace',
            lazy: async () => ({ Component: (await import('./pages/TracePage')).TracePage }),
          },
          {
            path: 'sessions/:id/report',
            lazy: async () => ({ Component: (await import('./pages/ReportPage')).ReportPage }),
          },
          {
            path: 'compare',
            lazy: async () => ({ Component: (await import('./pages/ComparePage')).ComparePage }),
          },
          { path: '*', Component: NotFoundPage },
        ],
      },
    ],
  },
  {
    path: '/sign-in',
    errorElement: <RouteError />,
    lazy: async () => ({ Component: (await import('./pages/SignInPage')).SignInPage }),
  },
  {
    path: '/signed-in',
    errorElement: <RouteError />,
    lazy: async () => ({ Component: (await import('./pages/SignedInPage')).SignedInPage }),
  },
];

export function createRouter() {
  return createBrowserRouter(routes);
}

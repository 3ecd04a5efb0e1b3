import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, type Ref } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { meQuery } from '../api/access';
import { asApiError } from '../api/errors';
import { InsecureBanner } from '../features/system/InsecureBanner';
import { useRefetchOnRecovery } from '../features/system/useRefetchOnRecovery';
import { useBackground } from '../lib/browser/background';
import { pages } from '../lib/browser/paths';
import { SkipLink, SkipLinkPlace } from '../ui/layout/SkipLink';
import { ConnectionBanner } from './ConnectionBanner';
import { Footer } from './Footer';
import { Brand, Nav } from './Nav';
import { usePageLoading } from './pageLoading';
import { RouteError } from './RouteError';
import { SignInBanner } from './SignInBanner';
import { UserMenu } from './UserMenu';
import { useFocusOnNavigation } from './useFocusOnNavigation';
import { useScrollRestoration } from './useScrollRestoration';

const Notices = lazy(() => import('./Notices'));

/** The app bar, the current page and the notices. */
export function Layout() {
  const loading = usePageLoading();
  useFocusOnNavigation('main');
  useScrollRestoration();
  useRefetchOnRecovery();
  const appBar = useHeightVariable('--tarsy-app-bar-height');
  const location = useLocation();
  const { data: me, error } = useQuery(meQuery);
  if (me === undefined && error !== null && asApiError(error).signIn !== null) {
    const returnTo = `${location.pathname}${location.search}${location.hash}`;
    return <Navigate to={`${pages.signIn}?return_to=${encodeURIComponent(returnTo)}`} replace />;
  }
  return (
    <>
      <SkipLink to="main">Skip to main content</SkipLink>
      <SkipLinkPlace />
      <TopBar ref={appBar} />
      <Box
        component="main"
        id="main"
        tabIndex={-1}
        aria-busy={loading}
        sx={{
          maxWidth: 1320,
          // Agents that work side by side need the room.
          '&:has([data-wide="true"])': { maxWidth: 1840 },
          // The footer is below the window from the beginning, so that it does not move while the page is loaded.
          minHeight: 'calc(100vh - var(--tarsy-app-bar-height))',
          mx: 'auto',
          px: { xs: 1.5, sm: 3 },
          py: { xs: 2, sm: 3 },
          outline: 'none',
        }}
      >
        <RouteError framed>
          <Suspense fallback={null}>
            <Outlet />
          </Suspense>
        </RouteError>
      </Box>
      <NoticeArea />
      <Footer />
    </>
  );
}

function TopBar({ ref }: { readonly ref: Ref<HTMLElement> }) {
  return (
    <Box
      component="header"
      className="app-bar"
      ref={ref}
      sx={{
        position: 'sticky',
        top: 0,
        zIndex: 'appBar',
        bgcolor: 'background.paper',
        borderBottom: 1,
        borderColor: 'divider',
      }}
    >
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: { xs: 0.5, sm: 2 },
          minHeight: 54,
          px: { xs: 1.5, sm: 3 },
        }}
      >
        <Brand />
        <Nav />
        <Box sx={{ flexGrow: 1 }} />
        <UserMenu />
      </Box>
      <SignInBanner />
      <ConnectionBanner />
    </Box>
  );
}

/** At the end of the window, so that the page does not move when a notice comes or goes. */
function NoticeArea() {
  const area = useHeightVariable('--tarsy-notices-height');
  const due = useBackground();
  return (
    <Box
      component="aside"
      aria-label="Notices"
      ref={area}
      sx={{ position: 'sticky', bottom: 0, zIndex: 'appBar' }}
    >
      <InsecureBanner />
      {due && (
        <Suspense fallback={null}>
          <Notices />
        </Suspense>
      )}
    </Box>
  );
}

/** Keeps a CSS variable equal to the height of an element, which changes with its banners. */
function useHeightVariable(name: string) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const update = () =>
      document.documentElement.style.setProperty(name, `${element.offsetHeight}px`);
    const resizes = new ResizeObserver(update);
    resizes.observe(element);
    return () => resizes.disconnect();
  }, [name]);
  return ref;
}

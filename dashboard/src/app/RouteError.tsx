import { Box } from '@mui/material';
import { useEffect } from 'react';
import { useRouteError } from 'react-router';
import { asApiError } from '../api/errors';
import { ErrorState } from '../ui/ErrorState';

/** A part of the page that could not be loaded is there again when the network is. */
function useReloadWhenOnline(wanted: boolean): void {
  useEffect(() => {
    if (!wanted) return undefined;
    const reload = () => window.location.reload();
    window.addEventListener('online', reload);
    return () => window.removeEventListener('online', reload);
  }, [wanted]);
}

/** The error boundary of the routes. `framed` renders it inside the layout. */
export function RouteError({ framed = false }: { readonly framed?: boolean }) {
  const { message } = asApiError(useRouteError());
  const notLoaded = /dynamically imported module|module script|preload/i.test(message);
  useReloadWhenOnline(notLoaded);
  return (
    <Box component={framed ? 'div' : 'main'} sx={{ p: 3, maxWidth: 720, mx: 'auto' }}>
      <ErrorState
        page
        title={notLoaded ? 'Could not load this page' : 'Could not render this page'}
        error={
          notLoaded ? 'TARSy may have been updated or may be unreachable. Try again.' : message
        }
        onRetry={() => window.location.reload()}
      />
    </Box>
  );
}

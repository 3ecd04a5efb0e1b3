import { Box } from '@mui/material';
import { useRouteError } from 'react-router';
import { asApiError } from '../api/errors';
import { ErrorState } from '../ui/ErrorState';

/** The net for a page that failed to load or to draw; `framed` within the navigation. */
export function RouteError({ framed = false }: { readonly framed?: boolean }) {
  const { message } = asApiError(useRouteError());
  const gone = /dynamically imported module|module script|preload/i.test(message);
  return (
    <Box component={framed ? 'div' : 'main'} sx={{ p: 3, maxWidth: 720, mx: 'auto' }}>
      <ErrorState
        page
        title={gone ? 'This page could not be loaded' : 'This page could not be shown'}
        message={
          gone
            ? 'TARSy may have been updated since you opened it, or it cannot be reached. Try again.'
            : message
        }
        onRetry={() => window.location.reload()}
      />
    </Box>
  );
}

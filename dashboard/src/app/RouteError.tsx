import { Box } from '@mui/material';
import { useRouteError } from 'react-router';
import { asApiError } from '../api/errors';
import { ErrorState } from '../ui/ErrorState';

/** The last net: a page that failed to load or to draw. */
export function RouteError() {
  const { message } = asApiError(useRouteError());
  return (
    <Box component="main" sx={{ p: 3, maxWidth: 720, mx: 'auto' }}>
      <ErrorState
        title="This page could not be shown"
        message={message}
        onRetry={() => window.location.reload()}
      />
    </Box>
  );
}

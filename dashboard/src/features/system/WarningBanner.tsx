import { Box, Button, Link } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link as RouterLink, useLocation } from 'react-router';
import { pages } from '../../lib/paths';
import { Banner } from '../../ui/Banner';
import { AlertIcon } from '../../ui/icons';
import { warningsQuery } from './queries';

/** Shows the first system warning on every page, until it is dismissed. */
export function WarningBanner() {
  const { data } = useQuery(warningsQuery);
  const [dismissed, setDismissed] = useState('');
  const { pathname } = useLocation();
  const warnings = data?.warnings ?? [];
  const [first] = warnings;
  const current = warnings.map(({ id }) => id).join(' ');
  const shown = first !== undefined && current !== dismissed && pathname !== pages.system;
  const more = warnings.length - 1;
  return (
    <Box role="status" aria-live="polite">
      {shown && (
        <Banner
          tone="warning"
          icon={<AlertIcon />}
          testId="warning-banner"
          action={
            <Button
              color="inherit"
              size="small"
              onClick={() => setDismissed(current)}
              sx={{ ml: 'auto' }}
            >
              Dismiss
            </Button>
          }
        >
          {first.message}
          {more > 0 && ` (and ${more} more)`}{' '}
          <Link component={RouterLink} to={pages.system} color="inherit">
            View warnings
          </Link>
        </Banner>
      )}
    </Box>
  );
}

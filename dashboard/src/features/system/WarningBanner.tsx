import { Box, Button, Link } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link as RouterLink, useLocation } from 'react-router';
import { pages } from '../../lib/paths';
import { Banner } from '../../ui/Banner';
import { AlertIcon } from '../../ui/icons';
import { warningsQuery } from './queries';

/** Says on every page that something needs attention, until the reader has seen it. */
export function WarningBanner() {
  const { data } = useQuery(warningsQuery);
  const [seen, setSeen] = useState('');
  const { pathname } = useLocation();
  const warnings = data?.warnings ?? [];
  const [first] = warnings;
  const now = warnings.map(({ id }) => id).join(' ');
  const shown = first !== undefined && now !== seen && pathname !== pages.system;
  const more = warnings.length - 1;
  return (
    <Box role="status" aria-live="polite">
      {shown && (
        <Banner
          tone="warning"
          icon={<AlertIcon />}
          testId="warning-banner"
          action={
            <Button color="inherit" size="small" onClick={() => setSeen(now)} sx={{ ml: 'auto' }}>
              Hide
            </Button>
          }
        >
          {first.message}
          {more > 0 && ` (and ${more} more)`}{' '}
          <Link component={RouterLink} to={pages.system} color="inherit">
            See the system page
          </Link>
        </Banner>
      )}
    </Box>
  );
}

import { Box, Button, Link } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link as RouterLink, useLocation } from 'react-router';
import { pages } from '../../lib/paths';
import { AlertIcon } from '../../ui/icons';
import { toneColors } from '../../ui/tones';
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
        <Box
          data-testid="warning-banner"
          sx={{
            ...toneColors('warning'),
            display: 'flex',
            alignItems: 'center',
            gap: 1,
            px: { xs: 1.5, sm: 3 },
            py: 0.5,
            fontSize: '0.8125rem',
          }}
        >
          <AlertIcon sx={{ fontSize: 18, flexShrink: 0 }} />
          <Box component="span" sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>
            {first.message}
            {more > 0 && ` (and ${more} more)`}{' '}
            <Link component={RouterLink} to={pages.system} color="inherit">
              See the system page
            </Link>
          </Box>
          <Button
            color="inherit"
            size="small"
            onClick={() => setSeen(now)}
            sx={{ ml: 'auto', flexShrink: 0 }}
          >
            Hide
          </Button>
        </Box>
      )}
    </Box>
  );
}

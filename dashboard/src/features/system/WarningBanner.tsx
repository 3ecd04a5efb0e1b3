import { Box, Link } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link as RouterLink, useLocation } from 'react-router';
import type { Warning } from '../../api/system';
import { forgetEnded, useDismissed } from '../../lib/browser/dismissals';
import { pages } from '../../lib/browser/paths';
import { Banner } from '../../ui/notices/Banner';
import { DismissButton } from '../../ui/notices/DismissButton';
import { AlertIcon } from '../../ui/theme/icons';
import { warningsQuery } from './queries';

const PREFIX = 'warning:';

const noticeOf = ({ id, message }: Warning) => `${PREFIX}${id} ${message}`;

/** Shows the first system warning on every page, until it is dismissed. One that ended and comes again is shown again. */
export function WarningBanner() {
  const { data } = useQuery(warningsQuery);
  const dismissed = useDismissed();
  const { pathname } = useLocation();
  useEffect(() => {
    if (data) forgetEnded(PREFIX, data.warnings.map(noticeOf));
  }, [data]);
  const warnings = (data?.warnings ?? []).filter((warning) => !dismissed.has(noticeOf(warning)));
  const [first] = warnings;
  const more = warnings.length - 1;
  return (
    <Box role="status" aria-live="polite">
      {first !== undefined && pathname !== pages.system && (
        <Banner
          tone="warning"
          icon={<AlertIcon />}
          testId="warning-banner"
          action={<DismissButton notices={warnings.map(noticeOf)} />}
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

import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../../api/access';
import { Banner } from '../../ui/notices/Banner';
import { AlertIcon } from '../../ui/theme/icons';

/** Shown while the server accepts requests from other machines without identifying their sender. */
export function InsecureBanner() {
  const { data } = useQuery(meQuery);
  if (!data?.insecure) return null;
  return (
    <Box role="note">
      <Banner tone="error" icon={<AlertIcon />} testId="insecure-banner">
        Access control is off: anyone who can reach this address can read everything and submit
        alerts. Set <code>system.access.mode</code>.
      </Banner>
    </Box>
  );
}

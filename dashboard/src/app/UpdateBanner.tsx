import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { healthQuery } from '../features/system/queries';
import { Banner } from '../ui/Banner';

/** Says that another version of TARSy answers than the one this page was opened with. */
export function UpdateBanner() {
  const { data } = useQuery(healthQuery);
  const version = data?.version ?? '';
  const [opened, setOpened] = useState('');
  const [fresh, setFresh] = useState('');
  if (opened === '' && version !== '') setOpened(version);
  // While an update goes on, old and new answer in turn; once told stays told.
  if (opened !== '' && version !== '' && version !== opened && version !== fresh) setFresh(version);
  return (
    <Box role="status" aria-live="polite">
      {fresh !== '' && (
        <Banner
          tone="info"
          testId="update-banner"
          action={
            <Button color="inherit" size="small" onClick={() => window.location.reload()}>
              Reload
            </Button>
          }
        >
          TARSy was updated to {fresh}; this page is of {opened}.
        </Banner>
      )}
    </Box>
  );
}

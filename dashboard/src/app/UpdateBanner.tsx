import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { healthQuery } from '../features/system/queries';
import { toneColors } from '../ui/tones';

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
        <Box
          data-testid="update-banner"
          sx={{
            ...toneColors('info'),
            display: 'flex',
            alignItems: 'center',
            gap: 1,
            px: { xs: 1.5, sm: 3 },
            py: 0.25,
            fontSize: '0.8125rem',
          }}
        >
          <span>
            TARSy was updated to {fresh}; this page is of {opened}.
          </span>
          <Button color="inherit" size="small" onClick={() => window.location.reload()}>
            Reload
          </Button>
        </Box>
      )}
    </Box>
  );
}

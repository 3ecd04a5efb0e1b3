import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { healthQuery } from '../features/system/queries';
import { useDismissed } from '../lib/browser/dismissals';
import { Banner } from '../ui/notices/Banner';
import { DismissButton } from '../ui/notices/DismissButton';

/** Shown when the server has another version than the one that served this page. */
export function UpdateBanner() {
  const { data } = useQuery(healthQuery);
  const dismissed = useDismissed();
  const version = data?.version ?? '';
  const [loadedVersion, setLoadedVersion] = useState('');
  const [newVersion, setNewVersion] = useState('');
  if (loadedVersion === '' && version !== '') setLoadedVersion(version);
  // During a rolling update both versions respond; the banner stays.
  if (loadedVersion !== '' && version !== '' && version !== loadedVersion && version !== newVersion)
    setNewVersion(version);
  const notice = `update:${newVersion}`;
  return (
    <Box role="status" aria-live="polite">
      {newVersion !== '' && !dismissed.has(notice) && (
        <Banner
          tone="info"
          testId="update-banner"
          action={
            <>
              <Button color="inherit" size="small" onClick={() => window.location.reload()}>
                Reload
              </Button>
              <DismissButton notices={[notice]} />
            </>
          }
        >
          TARSy was updated to {newVersion}. This page was loaded from version {loadedVersion}.
        </Banner>
      )}
    </Box>
  );
}

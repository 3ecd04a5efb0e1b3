import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Banner } from '../../ui/Banner';
import { systemInfoQuery } from './queries';

const KeyHelp = lazy(async () => ({ default: (await import('./KeyHelp')).KeyHelp }));

/** Says in plain words that no model is in use; absent while one is. */
export function ModelBanner() {
  const { data } = useQuery(systemInfoQuery);
  const [helping, setHelping] = useState(false);
  if (!data?.llm.offline) return null;
  const words =
    data.llm.message ||
    'No LLM key is set: investigations are written by the offline analyst, which is rules, not a model.';
  return (
    <>
      <Box role="note">
        <Banner
          tone="info"
          testId="offline-banner"
          action={
            <Button
              color="inherit"
              size="small"
              onClick={() => setHelping(true)}
              sx={{ textDecoration: 'underline', textUnderlineOffset: 3 }}
            >
              How to set a key
            </Button>
          }
        >
          {words}
        </Banner>
      </Box>
      {helping && (
        <Suspense fallback={null}>
          <KeyHelp open onClose={() => setHelping(false)} />
        </Suspense>
      )}
    </>
  );
}

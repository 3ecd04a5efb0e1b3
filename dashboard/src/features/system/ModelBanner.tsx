import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { toneColors } from '../../ui/tones';
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
      <Box
        role="note"
        data-testid="offline-banner"
        sx={{
          ...toneColors('info'),
          display: 'flex',
          flexWrap: { xs: 'wrap', sm: 'nowrap' },
          alignItems: 'center',
          columnGap: 1.5,
          px: { xs: 1.5, sm: 3 },
          py: 0.5,
          fontSize: '0.8125rem',
        }}
      >
        <span>{words}</span>
        <Button
          color="inherit"
          size="small"
          onClick={() => setHelping(true)}
          sx={{ flexShrink: 0, textDecoration: 'underline', textUnderlineOffset: 3 }}
        >
          How to set a key
        </Button>
      </Box>
      {helping && (
        <Suspense fallback={null}>
          <KeyHelp open onClose={() => setHelping(false)} />
        </Suspense>
      )}
    </>
  );
}

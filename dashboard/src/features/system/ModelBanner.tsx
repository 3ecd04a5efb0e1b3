import { Box, Button } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useDismissed } from '../../lib/browser/dismissals';
import { Banner } from '../../ui/notices/Banner';
import { DismissButton } from '../../ui/notices/DismissButton';
import { systemInfoQuery } from '../../api/system';

const KeyHelp = lazy(async () => ({ default: (await import('./KeyHelp')).KeyHelp }));

/** On a phone two lines: the help has the rest. */
const shortOnPhones = {
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: { xs: 2, sm: 'none' },
  overflow: 'hidden',
} as const;

/** Shown while the offline analyst is used instead of a model, until it is dismissed. */
export function ModelBanner() {
  const { data } = useQuery(systemInfoQuery);
  const dismissed = useDismissed();
  const [helpOpen, setHelpOpen] = useState(false);
  if (!data?.llm.offline) return null;
  const message =
    data.llm.message ||
    'No LLM API key is set. Investigations use the rule-based offline analyst instead of a model.';
  const notice = `model:${message}`;
  if (dismissed.has(notice) && !helpOpen) return null;
  return (
    <>
      <Box role="note">
        <Banner
          tone="info"
          testId="offline-banner"
          action={
            <>
              <Button
                color="inherit"
                size="small"
                onClick={() => setHelpOpen(true)}
                sx={{ textDecoration: 'underline', textUnderlineOffset: 3 }}
              >
                How to set an API key
              </Button>
              <DismissButton notices={[notice]} />
            </>
          }
        >
          <Box component="span" sx={shortOnPhones}>
            {message}
          </Box>
        </Banner>
      </Box>
      {helpOpen && (
        <Suspense fallback={null}>
          <KeyHelp open onClose={() => setHelpOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

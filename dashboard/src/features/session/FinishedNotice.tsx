import { Alert, Button, Snackbar } from '@mui/material';
import { useState } from 'react';
import { describeStatus, isTerminal } from '../../lib/status';
import { ANALYSIS_ID } from './anchors';

interface FinishedNoticeProps {
  readonly status: string;
  /** Whether there is an analysis to read. */
  readonly analysed: boolean;
}

/** Tells a reader who follows the end of the timeline that the result now stands above. */
export function FinishedNotice({ status, analysed }: FinishedNoticeProps) {
  const [watched] = useState(!isTerminal(status));
  const [closed, setClosed] = useState(false);

  function read(): void {
    setClosed(true);
    const analysis = document.getElementById(ANALYSIS_ID);
    analysis?.scrollIntoView({ block: 'start' });
    analysis?.focus({ preventScroll: true });
  }

  return (
    <Snackbar
      open={watched && analysed && isTerminal(status) && !closed}
      autoHideDuration={30_000}
      onClose={(_, reason) => {
        if (reason === 'timeout') setClosed(true);
      }}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'center' }}
    >
      <Alert
        severity={status === 'completed' ? 'success' : 'warning'}
        variant="outlined"
        data-testid="finished-notice"
        onClose={() => setClosed(true)}
        sx={{ bgcolor: 'background.paper', alignItems: 'center', boxShadow: 6 }}
      >
        Investigation {describeStatus(status).label.toLowerCase()}.
        <Button size="small" onClick={read} sx={{ ml: 1 }}>
          Read the final analysis
        </Button>
      </Alert>
    </Snackbar>
  );
}

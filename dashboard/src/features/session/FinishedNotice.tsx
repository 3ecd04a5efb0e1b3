import { Alert, Button, Snackbar } from '@mui/material';
import { useState } from 'react';
import { ANALYSIS_ID } from '../../lib/paths';
import { describeStatus, isTerminal } from '../../lib/status';

interface FinishedNoticeProps {
  readonly status: string;
  /** Whether the session has a final analysis. */
  readonly hasAnalysis: boolean;
}

/** Notifies a user who watched a running session of its end and links to the final analysis. */
export function FinishedNotice({ status, hasAnalysis }: FinishedNoticeProps) {
  const [wasRunning] = useState(!isTerminal(status));
  const [closed, setClosed] = useState(false);

  function showAnalysis(): void {
    setClosed(true);
    const analysis = document.getElementById(ANALYSIS_ID);
    analysis?.scrollIntoView({ block: 'start' });
    analysis?.focus({ preventScroll: true });
  }

  return (
    <Snackbar
      open={wasRunning && hasAnalysis && isTerminal(status) && !closed}
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
        <Button size="small" onClick={showAnalysis} sx={{ ml: 1 }}>
          View final analysis
        </Button>
      </Alert>
    </Snackbar>
  );
}

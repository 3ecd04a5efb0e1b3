import { Alert, Button, Snackbar } from '@mui/material';
import { ANALYSIS_ID } from '../../lib/browser/paths';
import { describeStatus } from '../../lib/session/status';

interface FinishedNoticeBodyProps {
  readonly status: string;
  readonly onClose: () => void;
}

export default function FinishedNoticeBody({ status, onClose }: FinishedNoticeBodyProps) {
  function showAnalysis(): void {
    onClose();
    const analysis = document.getElementById(ANALYSIS_ID);
    analysis?.scrollIntoView({ block: 'start' });
    analysis?.focus({ preventScroll: true });
  }

  return (
    <Snackbar
      open
      autoHideDuration={30_000}
      onClose={(_, reason) => {
        if (reason === 'timeout') onClose();
      }}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'center' }}
    >
      <Alert
        severity={status === 'completed' ? 'success' : 'warning'}
        variant="outlined"
        data-testid="finished-notice"
        onClose={onClose}
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

import { Box } from '@mui/material';
import { useLocation } from 'react-router';
import { Callout } from '../../ui/notices/Callout';

/** What the alert that the user has just submitted requests without an effect. */
export function SubmissionWarnings() {
  const { state } = useLocation();
  const warnings: readonly string[] = state?.warnings ?? [];
  if (warnings.length === 0) return null;
  return (
    <Box sx={{ mb: 2 }}>
      <Callout tone="warning" title="Without an effect" testId="submission-warnings">
        {warnings.map((warning) => (
          <div key={warning}>{warning}</div>
        ))}
      </Callout>
    </Box>
  );
}

import { Alert, AlertTitle, Box, Skeleton, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { asApiError } from '../../api/errors';
import type { Warning } from '../../api/system';
import { humanize } from '../../lib/format';
import { formatDateTime } from '../../lib/time';
import { CodeBlock } from '../../ui/CodeBlock';
import { ErrorState } from '../../ui/ErrorState';
import { Panel } from '../../ui/Panel';
import { CheckIcon } from '../../ui/icons';
import { toneText } from '../../ui/tones';
import { warningsQuery } from './queries';

export function Warnings() {
  const { data, error, isPending, refetch } = useQuery(warningsQuery);
  const total = data?.warnings.length ?? 0;
  return (
    <Panel title={total > 0 ? `Warnings (${total})` : 'Warnings'} testId="warnings">
      {isPending && (
        <Skeleton variant="rounded" height={44} role="status" aria-label="Loading warnings" />
      )}
      {error && (
        <ErrorState
          title="Warnings could not be loaded"
          message={asApiError(error).message}
          onRetry={() => void refetch()}
        />
      )}
      {data && total === 0 && (
        <Typography sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          <CheckIcon fontSize="small" sx={{ color: toneText('success') }} /> Nothing needs
          attention.
        </Typography>
      )}
      <Box sx={{ display: 'grid', gap: 1.25, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        {data?.warnings.map((warning) => (
          <WarningCard key={warning.id} warning={warning} />
        ))}
      </Box>
    </Panel>
  );
}

function WarningCard({ warning }: { readonly warning: Warning }) {
  const about = [humanize(warning.category), warning.server_id, formatDateTime(warning.created_at)];
  return (
    <Alert
      severity="warning"
      data-testid="warning"
      sx={{ '& .MuiAlert-message': { minWidth: 0, flexGrow: 1 } }}
    >
      <AlertTitle>{warning.message}</AlertTitle>
      {about.filter((part) => part !== null && part !== '').join(' · ')}
      {warning.details !== '' && (
        <Box sx={{ mt: 1 }}>
          <CodeBlock text={warning.details} label="Details of the warning" lines={6} wrap />
        </Box>
      )}
    </Alert>
  );
}

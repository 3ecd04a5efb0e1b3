import { Box, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { Warning } from '../../api/system';
import { humanize, joinParts } from '../../lib/text/format';
import { formatDateTime } from '../../lib/time/time';
import { useTimeZone } from '../../lib/time/timeZone';
import { Callout } from '../../ui/notices/Callout';
import { CodeBlock } from '../../ui/text/CodeBlock';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { CheckIcon } from '../../ui/theme/icons';
import { Column } from '../../ui/layout/layout';
import { toneText } from '../../ui/badges/tones';
import { warningsQuery } from './queries';

export function Warnings() {
  const query = useQuery(warningsQuery);
  const total = query.data?.warnings.length ?? 0;
  return (
    <Panel title={total > 0 ? `Warnings (${total})` : 'Warnings'} testId="warnings">
      <LoadState query={query} noun="warnings" heightPx={44} />
      {query.data && total === 0 && (
        <Typography sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          <CheckIcon fontSize="small" sx={{ color: toneText('success') }} /> No active warnings.
        </Typography>
      )}
      <Column gap={1.25}>
        {query.data?.warnings.map((warning) => (
          <WarningCard key={warning.id} warning={warning} />
        ))}
      </Column>
    </Panel>
  );
}

function WarningCard({ warning }: { readonly warning: Warning }) {
  const zone = useTimeZone();
  return (
    <Callout tone="warning" title={warning.message} testId="warning">
      {joinParts([
        humanize(warning.category),
        warning.server_id,
        formatDateTime(warning.created_at, zone),
      ])}
      {warning.advice !== null && (
        <Typography sx={{ mt: 0.5 }} data-testid="warning-advice">
          <strong>What to do:</strong> {warning.advice}
        </Typography>
      )}
      {warning.details !== '' && (
        <Box sx={{ mt: 1 }}>
          <CodeBlock text={warning.details} label="Details of the warning" lines={6} wrap />
        </Box>
      )}
    </Callout>
  );
}

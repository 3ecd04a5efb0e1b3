import { Box, Button } from '@mui/material';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../api/access';
import { reloadConfiguration } from '../../api/config';
import { asApiError } from '../../api/errors';
import { getServices } from '../../api/system';
import { plural } from '../../lib/text/format';
import { InlineCode } from '../../ui/markdown/InlineCode';
import { Secondary } from '../../ui/layout/Secondary';
import { plainList } from '../../ui/theme/tokens';
import { toneText } from '../../ui/badges/tones';
import { countSuccessors } from './successors';

/** Between two looks at the services. */
const INTERVAL_MS = 500;
/** How long the services may take. */
const TIMEOUT_MS = 60_000;

interface Progress {
  readonly started: number;
  readonly total: number;
}

interface Reloaded extends Progress {
  readonly warnings: readonly string[];
}

/** Lets the services start again with the configuration files as they are now. Hidden from users who may not. */
export function Reload() {
  const client = useQueryClient();
  const [progress, setProgress] = useState<Progress | null>(null);
  const reload = useMutation({
    mutationFn: () => reloadAndWait(setProgress),
    // Whatever shows the configuration: alert types, tool servers, providers.
    onSettled: () => client.invalidateQueries(),
  });
  if (!useMay('reload_config')) return null;
  return (
    <Box sx={{ mt: 1.5 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          disabled={reload.isPending}
          onClick={() => {
            setProgress(null);
            reload.mutate();
          }}
        >
          {reload.isPending ? 'Reloading…' : 'Reload configuration'}
        </Button>
        <Secondary role="status" sx={{ minWidth: 0 }}>
          {reload.isPending && pendingText(progress)}
          {reload.data && doneText(reload.data)}
        </Secondary>
      </Box>
      {reload.data?.warnings.map((warning) => (
        <Secondary key={warning} sx={{ overflowWrap: 'anywhere', color: toneText('warning') }}>
          {warning}
        </Secondary>
      ))}
      {reload.error && <Problems error={reload.error} />}
    </Box>
  );
}

async function reloadAndWait(report: (progress: Progress) => void): Promise<Reloaded> {
  const { services: before } = await getServices();
  const { config_hash: hash, warnings } = await reloadConfiguration();
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const { services: now } = await getServices();
    const progress = { started: countSuccessors(before, now, hash), total: before.length };
    report(progress);
    if (progress.started === progress.total || Date.now() >= deadline)
      return { ...progress, warnings };
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

function pendingText(progress: Progress | null): string {
  if (!progress) return 'Checking the files…';
  return `Services restarted: ${progress.started} of ${progress.total}`;
}

function doneText({ started, total }: Reloaded): string {
  if (started === total) return 'All services run with the current configuration.';
  return `${plural(total - started, 'service')} did not restart; see the logs. They keep the previous configuration.`;
}

function Problems({ error }: { readonly error: Error }) {
  const { message, fields } = asApiError(error);
  return (
    <Box role="alert" sx={{ mt: 1, color: toneText('error') }}>
      {fields.length === 0 ? message : 'The files are not valid. Nothing was changed:'}
      <Box component="ul" sx={plainList}>
        {fields.map(({ field, message: problem }) => (
          <Box
            component="li"
            key={`${field} ${problem}`}
            sx={{ mt: 0.5, overflowWrap: 'anywhere' }}
          >
            <InlineCode text={field} /> {problem}
          </Box>
        ))}
      </Box>
    </Box>
  );
}

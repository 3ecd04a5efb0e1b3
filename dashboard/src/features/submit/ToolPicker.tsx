import { Alert, Box, Button, Typography } from '@mui/material';
import { lazy, Suspense } from 'react';
import { Disclosure } from '../../ui/layout/Disclosure';
import { Secondary } from '../../ui/layout/Secondary';
import { useDefaultTools } from './defaultTools';
import {
  chainDefault,
  describeSelection,
  isChainDefault,
  type ToolSelection,
} from './toolSelection';

const Choices = lazy(() => import('./Choices'));

interface ToolPickerProps {
  readonly alertType: string;
  readonly selection: ToolSelection;
  readonly problem: string | undefined;
  readonly change: (selection: ToolSelection) => void;
}

/** Overrides the tools of the chain for one alert. */
export function ToolPicker({ alertType, selection, problem, change }: ToolPickerProps) {
  const { data: defaults } = useDefaultTools(alertType);
  return (
    <Box data-testid="tool-picker">
      <Disclosure
        open={problem !== undefined}
        summary={<Summary selection={selection} defaultServers={defaults?.mcp_servers} />}
      >
        <Box sx={{ pl: { xs: 0, sm: 3.25 }, display: 'grid', gap: 1.5 }}>
          {problem !== undefined && (
            <Alert severity="error" data-testid="tool-problem">
              {problem}
            </Alert>
          )}
          <Secondary>
            Selected tools override the chain’s servers for every agent and for chat. Select none to
            use the chain default.
          </Secondary>
          <Suspense fallback={<Typography role="status">Loading tool servers…</Typography>}>
            <Choices selection={selection} defaults={defaults} change={change} />
          </Suspense>
          {!isChainDefault(selection) && (
            <Box>
              <Button size="small" onClick={() => change(chainDefault)} data-testid="tools-reset">
                Reset to default
              </Button>
            </Box>
          )}
        </Box>
      </Disclosure>
    </Box>
  );
}

interface SummaryProps {
  readonly selection: ToolSelection;
  /** Undefined while they are loading. */
  readonly defaultServers: readonly string[] | undefined;
}

function Summary({ selection, defaultServers }: SummaryProps) {
  const servers = defaultServers ? defaultServers.join(', ') || 'no tool server' : 'as configured';
  return (
    <Typography component="span" sx={{ fontSize: '0.875rem' }}>
      <Box component="span" sx={{ fontWeight: 600, mr: 1 }}>
        Tools
      </Box>
      <Box component="span" sx={{ color: 'text.secondary' }} data-testid="tool-selection">
        {isChainDefault(selection) ? `chain default: ${servers}` : describeSelection(selection)}
      </Box>
    </Typography>
  );
}

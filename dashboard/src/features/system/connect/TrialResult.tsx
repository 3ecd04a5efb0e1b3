import { Box } from '@mui/material';
import type { Trial } from '../../../api/connections';
import { showBidiControls } from '../../../lib/text/bidi';
import { plural } from '../../../lib/text/format';
import { formatDuration } from '../../../lib/time/time';
import { Secondary } from '../../../ui/layout/Secondary';
import { toneText } from '../../../ui/badges/tones';

/** What came of trying an address. Empty before. */
export function TrialResult({ trial }: { readonly trial: Trial | null }) {
  const failed = trial !== null && trial.error !== null;
  return (
    <Box data-testid="trial">
      <Secondary
        role="status"
        sx={[{ overflowWrap: 'anywhere' }, failed && { color: toneText('error') }]}
      >
        {trial && outcome(trial)}
      </Secondary>
      {trial && trial.tools.length > 0 && (
        <Box
          component="ul"
          aria-label="Tools at the address"
          sx={{ m: 0, mt: 1, pl: 2.5, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}
        >
          {trial.tools.slice(0, SHOWN).map(({ name, description }) => (
            <li key={name}>
              <Box component="code" sx={{ fontFamily: 'var(--tarsy-mono)', fontWeight: 600 }}>
                {showBidiControls(name)}
              </Box>{' '}
              {showBidiControls(firstLine(description))}
            </li>
          ))}
        </Box>
      )}
      {trial && trial.tools.length > SHOWN && (
        <Secondary size="small">{trial.tools.length - SHOWN} more</Secondary>
      )}
    </Box>
  );
}

/** The tools that are shown before the server is configured. */
const SHOWN = 50;

function outcome({ error, duration_ms: duration, tools }: Trial): string {
  return error ?? `Connected in ${formatDuration(duration)}: ${plural(tools.length, 'tool')}.`;
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

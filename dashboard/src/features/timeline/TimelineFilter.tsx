import { Box, TextField, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material';
import { formatExact } from '../../lib/format';
import { SHOWN, type Shown } from './filter';

interface TimelineFilterProps {
  readonly shown: Shown;
  readonly typed: string;
  /** How many steps fit, of how many; told while some do not. */
  readonly found: number;
  readonly total: number;
  readonly onShow: (shown: Shown) => void;
  readonly onType: (typed: string) => void;
}

/** Finds steps in a timeline that is longer than a look. */
export function TimelineFilter(props: TimelineFilterProps) {
  const { shown, typed, found, total, onShow, onType } = props;
  return (
    <Box
      role="search"
      aria-label="Find steps"
      data-testid="timeline-filter"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.25, mb: 1.5, pt: 0.5 }}
    >
      <ToggleButtonGroup
        exclusive
        size="small"
        value={shown}
        onChange={(_, next: Shown | null) => onShow(next ?? shown)}
        aria-label="Which steps are shown"
      >
        {SHOWN.map(({ id, label }) => (
          <ToggleButton key={id} value={id} sx={{ px: 1.25, py: 0.5 }}>
            {label}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <TextField
        size="small"
        type="search"
        label="Words in a step"
        value={typed}
        onChange={(event) => onType(event.target.value)}
        sx={{ width: { xs: '100%', sm: 220 } }}
      />
      <Typography role="status" sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
        {found === total ? '' : `${formatExact(found)} of ${formatExact(total)} steps`}
      </Typography>
    </Box>
  );
}

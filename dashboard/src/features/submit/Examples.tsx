import { Box, ButtonBase, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { ExampleAlert } from '../../api/alerts';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { toneText } from '../../ui/badges/tones';
import { exampleAlertsQuery } from './queries';

interface ExamplesProps {
  /** Name of the selected example. */
  readonly selected: string | null;
  readonly onSelect: (example: ExampleAlert) => void;
}

export function Examples({ selected, onSelect }: ExamplesProps) {
  const query = useQuery(exampleAlertsQuery);
  const { data } = query;
  if (data && data.examples.length === 0) return null;
  return (
    <Panel title="Example alerts" testId="examples">
      <Secondary sx={{ mb: 1.5 }}>
        Select an example to fill in the form. You can edit it before you submit.
      </Secondary>
      <LoadState query={query} noun="examples" heightPx={96} />
      <Box sx={{ display: 'grid', gap: 1 }}>
        {data?.examples.map((example) => (
          <ExampleCard
            key={example.name}
            example={example}
            selected={selected === example.name}
            onSelect={() => onSelect(example)}
          />
        ))}
      </Box>
    </Panel>
  );
}

interface ExampleCardProps {
  readonly example: ExampleAlert;
  readonly selected: boolean;
  readonly onSelect: () => void;
}

function ExampleCard({ example, selected, onSelect }: ExampleCardProps) {
  return (
    <ButtonBase
      onClick={onSelect}
      aria-pressed={selected}
      data-testid="example-alert"
      data-example={example.name}
      sx={{
        display: 'block',
        width: '100%',
        textAlign: 'left',
        border: 1,
        borderColor: selected ? 'primary.main' : 'divider',
        boxShadow: selected ? 'inset 0 0 0 1px var(--mui-palette-primary-main)' : 'none',
        borderRadius: 1.5,
        p: 1.5,
        '&:hover': { bgcolor: 'action.hover' },
        '&:focus-visible': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: 2 },
      }}
    >
      <Typography component="span" sx={{ display: 'block', fontWeight: 600 }}>
        {example.title}
      </Typography>
      <Secondary component="span" sx={{ display: 'block', my: 0.25 }}>
        {example.description}
      </Secondary>
      {example.problem !== null && (
        <Secondary
          component="span"
          testId="example-problem"
          sx={{ display: 'block', my: 0.25, color: toneText('warning') }}
        >
          {example.problem}
        </Secondary>
      )}
      {example.alert_type && (
        <Box
          component="span"
          sx={{ fontFamily: 'var(--tarsy-mono)', fontSize: '0.72rem', color: 'text.secondary' }}
        >
          {example.alert_type}
        </Box>
      )}
    </ButtonBase>
  );
}

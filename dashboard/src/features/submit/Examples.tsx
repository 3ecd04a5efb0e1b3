import { Box, ButtonBase, Skeleton, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { ExampleAlert } from '../../api/alerts';
import { asApiError } from '../../api/errors';
import { ErrorState } from '../../ui/ErrorState';
import { Panel } from '../../ui/Panel';
import { exampleAlertsQuery } from './queries';

interface ExamplesProps {
  readonly chosen: string | null;
  readonly choose: (example: ExampleAlert) => void;
}

/** Alerts to start with; one click fills the form. */
export function Examples({ chosen, choose }: ExamplesProps) {
  const { data, error, isPending, refetch } = useQuery(exampleAlertsQuery);
  if (data && data.examples.length === 0) return null;
  return (
    <Panel title="Example alerts" testId="examples">
      <Typography sx={{ color: 'text.secondary', fontSize: '0.8125rem', mb: 1.5 }}>
        Pick one to fill the form, change what you like, and start.
      </Typography>
      {isPending && <Skeleton variant="rounded" height={96} />}
      {error && (
        <ErrorState
          title="The examples could not be loaded"
          message={asApiError(error).message}
          onRetry={() => void refetch()}
        />
      )}
      <Box sx={{ display: 'grid', gap: 1 }}>
        {data?.examples.map((example) => (
          <ExampleCard
            key={example.name}
            example={example}
            chosen={chosen === example.name}
            onChoose={() => choose(example)}
          />
        ))}
      </Box>
    </Panel>
  );
}

interface ExampleCardProps {
  readonly example: ExampleAlert;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

function ExampleCard({ example, chosen, onChoose }: ExampleCardProps) {
  return (
    <ButtonBase
      onClick={onChoose}
      aria-pressed={chosen}
      data-testid="example-alert"
      data-example={example.name}
      sx={{
        display: 'block',
        width: '100%',
        textAlign: 'left',
        border: 1,
        borderColor: chosen ? 'primary.main' : 'divider',
        boxShadow: chosen ? 'inset 0 0 0 1px var(--mui-palette-primary-main)' : 'none',
        borderRadius: 1.5,
        p: 1.5,
        '&:hover': { bgcolor: 'action.hover' },
        '&:focus-visible': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: 2 },
      }}
    >
      <Typography component="span" sx={{ display: 'block', fontWeight: 600 }}>
        {example.title}
      </Typography>
      <Typography
        component="span"
        sx={{ display: 'block', color: 'text.secondary', fontSize: '0.8125rem', my: 0.25 }}
      >
        {example.description}
      </Typography>
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

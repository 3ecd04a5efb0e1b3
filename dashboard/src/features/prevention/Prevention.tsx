import { Box, Button } from '@mui/material';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link as RouterLink, useSearchParams } from 'react-router';
import { getPrevention, type Prevention as Found } from '../../api/prevention';
import { plural } from '../../lib/text/format';
import { pages } from '../../lib/browser/paths';
import { EmptyState } from '../../ui/notices/EmptyState';
import { CheckIcon } from '../../ui/theme/icons';
import { Column } from '../../ui/layout/layout';
import { LoadingBar } from '../../ui/notices/LoadingBar';
import { LoadState } from '../../ui/notices/LoadState';
import { Secondary } from '../../ui/layout/Secondary';
import { weekLink } from './links';
import { PreventionTables } from './PreventionTables';

/** What came again and again in a week, beside the week before. */
export function Prevention() {
  const [params] = useSearchParams();
  const week = params.get('week') ?? '';
  const query = useQuery({
    queryKey: ['prevention', week],
    queryFn: ({ signal }) => getPrevention(week, signal),
    placeholderData: keepPreviousData,
  });
  const { data, isPlaceholderData } = query;
  return (
    <Column>
      <Weeks found={data} week={week} />
      {isPlaceholderData && <LoadingBar />}
      <LoadState query={query} noun="the week" heightPx={480} />
      {data && <Secondary role="status">{describe(data)}</Secondary>}
      {data && isQuiet(data) && (
        <EmptyState icon={<CheckIcon />} title="Nothing recurred" testId="prevention-empty">
          No recurring causes, no repeated alerts without a fault, no failing tools, and all sources
          understood.
        </EmptyState>
      )}
      {data && !isQuiet(data) && <PreventionTables found={data} />}
    </Column>
  );
}

function isQuiet({ causes, alerts, tools, sources }: Found): boolean {
  return [causes, alerts, tools, sources].every((rows) => rows.length === 0);
}

function describe({ sessions, sessions_before: before, is_cut: isCut }: Found): string {
  const counted = `${plural(sessions, 'session')}, ${before} in the week before.`;
  return isCut ? `${counted} The newest 20,000 of each week are counted.` : counted;
}

interface WeeksProps {
  readonly found: Found | undefined;
  /** The chosen one; empty for the last seven days. */
  readonly week: string;
}

/** The week that is shown, and links to the weeks beside it. */
function Weeks({ found, week }: WeeksProps) {
  const next = found?.next_week ?? null;
  return (
    <Box
      component="nav"
      aria-label="Weeks"
      sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}
    >
      <Box component="strong" data-testid="prevention-week">
        {week === '' ? 'Last 7 days' : `Week ${week}`}
      </Box>
      {found && (
        <Button component={RouterLink} to={weekLink(found.previous_week)} size="small">
          {`Week ${found.previous_week}`}
        </Button>
      )}
      {next !== null && (
        <Button component={RouterLink} to={weekLink(next)} size="small">
          {`Week ${next}`}
        </Button>
      )}
      {week !== '' && (
        <Button component={RouterLink} to={pages.prevention} size="small">
          Last 7 days
        </Button>
      )}
    </Box>
  );
}

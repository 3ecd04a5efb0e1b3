import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { keys } from '../../api/keys';
import type { Overview } from '../../api/overview';
import { getScoreOverview, type ScoreGroup, type ScoreOverview } from '../../api/scoreOverview';
import { showBidiControls } from '../../lib/text/bidi';
import { formatCount, plural } from '../../lib/text/format';
import { Disclosure } from '../../ui/layout/Disclosure';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { NumberTable } from '../../ui/numbers/NumberTable';
import { ShareBar } from './ShareBar';

const dimensions = [
  ['chain', 'Chain'],
  ['agent', 'Agent'],
  ['provider', 'Provider'],
] as const;

/** How well the sessions of these days were investigated; nothing where none is scored. */
export function ScoresPanel({ overview: { from, to } }: { readonly overview: Overview }) {
  const { data } = useQuery({
    queryKey: keys.scoreOverview(from, to),
    queryFn: ({ signal }) => getScoreOverview(from, to, signal),
  });
  const all = data?.groups.find(({ dimension }) => dimension === 'all');
  if (!data || !all) return null;
  return (
    <Panel title="Scores" testId="overview-scores">
      <div data-testid="score-figures">
        Mean {all.mean} of {plural(all.sessions, 'scored session')}, {all.low} below 60
      </div>
      <div data-testid="score-agreement">
        <Secondary>{agreementOf(data.agreement)}</Secondary>
      </div>
      <Box sx={{ mt: 1 }}>
        {dimensions.map(([dimension, label]) => (
          <Groups
            key={dimension}
            label={label}
            groups={data.groups.filter((group) => group.dimension === dimension)}
          />
        ))}
        <Disclosure summary="Scores by day">
          <NumberTable
            label="Scores by day"
            columns={['Day', 'Sessions', 'Mean']}
            rows={all.days.map(({ day, sessions, mean }) => ({
              key: day,
              cells: [bar(day, mean), formatCount(sessions), mean],
            }))}
          />
        </Disclosure>
      </Box>
    </Panel>
  );
}

const bar = (name: string, mean: number) => (
  <ShareBar key="name" share={mean / 100}>
    <bdi>{showBidiControls(name)}</bdi>
  </ShareBar>
);

interface GroupsProps {
  readonly label: string;
  readonly groups: readonly ScoreGroup[];
}

function Groups({ label, groups }: GroupsProps) {
  const title = `Scores by ${label.toLowerCase()}`;
  return (
    <Disclosure summary={title} testId={`scores-${label.toLowerCase()}`}>
      <NumberTable
        label={title}
        columns={[label, 'Sessions', 'Mean', 'Below 60']}
        rows={groups.map(({ name, sessions, mean, low }) => ({
          key: name,
          cells: [bar(name, mean), formatCount(sessions), mean, formatCount(low)],
        }))}
      />
    </Disclosure>
  );
}

/** How far reviews agree, and on how many sessions that rests. */
function agreementOf(agreement: ScoreOverview['agreement']): string {
  const { sessions, agreeing, kappa, needed } = agreement;
  if (sessions === 0) return 'No scored session has been reviewed.';
  const agree = `${agreeing} of ${plural(sessions, 'reviewed session')} agree with the review`;
  if (kappa !== null) return `${agree}, kappa ${kappa.toFixed(2)}`;
  if (sessions < needed) return `${agree}; kappa needs ${needed}`;
  return `${agree}; no kappa, because all are the same`;
}

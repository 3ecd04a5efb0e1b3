import { Button } from '@mui/material';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { useMay } from '../../api/access';
import { asApiError } from '../../api/errors';
import { runSchedule, type Schedule } from '../../api/schedules';
import { showBidiControls } from '../../lib/text/bidi';
import { pages } from '../../lib/browser/paths';
import { Badge } from '../../ui/badges/Badge';
import { DescriptionList } from '../../ui/layout/DescriptionList';
import { EmptyState } from '../../ui/notices/EmptyState';
import { LoadState } from '../../ui/notices/LoadState';
import { Notification } from '../../ui/notices/Notification';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { DateTime } from '../../ui/numbers/times';
import { ClockIcon } from '../../ui/theme/icons';
import { schedulesQuery } from './queries';
import { notifyLabels } from './runs';
import { ScheduleRuns } from './ScheduleRuns';

/** The schedules of the configuration, with their next times and their last runs. */
export function ScheduleList() {
  const query = useQuery(schedulesQuery);
  const navigate = useNavigate();
  const mayRun = useMay('run_schedule');
  const run = useMutation({
    mutationFn: runSchedule,
    onSuccess: ({ session_id: id }) => navigate(pages.session(id), { state: { submitted: true } }),
  });
  const schedules = query.data?.schedules;
  return (
    <>
      <LoadState query={query} noun="schedules" heightPx={240} />
      {schedules?.length === 0 && (
        <EmptyState icon={<ClockIcon />} title="No schedules" testId="no-schedules">
          Add one to schedules in tarsy.yaml: a nightly look at a cluster, or at the certificates of
          next week.
        </EmptyState>
      )}
      {schedules?.map((schedule) => (
        <SchedulePanel
          key={schedule.name}
          schedule={schedule}
          onRun={mayRun ? () => run.mutate(schedule.name) : undefined}
          isBusy={run.isPending}
        />
      ))}
      {run.isError && (
        <Notification severity="error" onClose={run.reset} testId="run-failed">
          {`${run.variables} did not begin: ${asApiError(run.error).message}`}
        </Notification>
      )}
    </>
  );
}

interface SchedulePanelProps {
  readonly schedule: Schedule;
  readonly onRun: (() => void) | undefined;
  readonly isBusy: boolean;
}

function SchedulePanel({ schedule, onRun, isBusy }: SchedulePanelProps) {
  const { name, title, suspended, runs } = schedule;
  return (
    <Panel
      title={showBidiControls(title)}
      eyebrow={name}
      testId="schedule"
      sx={{ mb: 2 }}
      actions={
        onRun && (
          <Button size="small" onClick={onRun} disabled={isBusy} aria-label={`Run now: ${name}`}>
            Run now
          </Button>
        )
      }
    >
      {suspended && <Badge tone="warning">Suspended</Badge>}
      <DescriptionList items={factsOf(schedule)} />
      {runs.length === 0 ? (
        <Secondary>It has not run yet.</Secondary>
      ) : (
        <ScheduleRuns runs={runs} of={name} />
      )}
    </Panel>
  );
}

function factsOf({ cron, description, time_zone: zone, ...schedule }: Schedule) {
  const [next] = schedule.next_runs;
  return [
    { term: 'When', value: description },
    { term: 'Time zone', value: zone },
    { term: 'Cron', value: cron, mono: true },
    { term: 'Next', value: next === undefined ? 'not by itself' : <DateTime at={next} /> },
    { term: 'Alert type', value: schedule.alert_type ?? 'no chain serves it' },
    { term: 'Notifies of', value: notifyLabels[schedule.notify] ?? schedule.notify },
  ];
}

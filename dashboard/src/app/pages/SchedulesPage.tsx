import { ScheduleList } from '../../features/schedules/ScheduleList';
import { useTitle } from '../../lib/browser/useTitle';
import { PageHeading } from '../../ui/layout/PageHeading';

export function SchedulesPage() {
  useTitle('Schedules');
  return (
    <>
      <PageHeading title="Schedules">Investigations that start by the calendar.</PageHeading>
      <ScheduleList />
    </>
  );
}

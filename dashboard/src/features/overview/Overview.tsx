import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { keys } from '../../api/keys';
import { getOverview } from '../../api/overview';
import { EmptyState } from '../../ui/notices/EmptyState';
import { ListIcon } from '../../ui/theme/icons';
import { Column } from '../../ui/layout/layout';
import { LoadingBar } from '../../ui/notices/LoadingBar';
import { LoadState } from '../../ui/notices/LoadState';
import { ToggleFilter } from '../../ui/fields/ToggleFilter';
import { Figures } from './Figures';
import { OverviewPanels } from './OverviewPanels';

const REFETCH_MS = 60_000;

const RANGES = [
  { hours: 24, label: '24 hours' },
  { hours: 24 * 7, label: '7 days' },
  { hours: 24 * 30, label: '30 days' },
] as const;

export function Overview() {
  const [params, setParams] = useSearchParams();
  const chosen = Number(params.get('hours') ?? '24');
  const hours = RANGES.find((range) => range.hours === chosen)?.hours ?? 24;
  const query = useQuery({
    queryKey: keys.overview(hours),
    queryFn: ({ signal }) => getOverview(hours, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
  const { data, isPlaceholderData } = query;
  return (
    <Column>
      <div>
        <ToggleFilter
          label="Period"
          options={RANGES.map((range) => ({ id: String(range.hours), label: range.label }))}
          value={String(hours)}
          onChange={(chosenHours) => setParams({ hours: chosenHours })}
        />
      </div>
      {isPlaceholderData && <LoadingBar />}
      <LoadState query={query} noun="the overview" heightPx={480} />
      {/* What waits or runs may have been submitted before. */}
      {data && data.buckets.length === 0 && data.pending + data.running > 0 && (
        <Figures overview={data} />
      )}
      {data && data.buckets.length === 0 && (
        <EmptyState icon={<ListIcon />} title="No sessions in this period" testId="overview-empty">
          Choose a longer period, or submit an alert.
        </EmptyState>
      )}
      {data && data.buckets.length > 0 && <OverviewPanels overview={data} />}
    </Column>
  );
}

import { Box, Button, Chip } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { DECISIONS, describeDecision } from '../../lib/session/received';
import { EmptyState } from '../../ui/notices/EmptyState';
import { LoadingBar } from '../../ui/notices/LoadingBar';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { ToggleFilter } from '../../ui/fields/ToggleFilter';
import { ListIcon, SearchIcon } from '../../ui/theme/icons';
import { noFilter, readParams, toQuery, writeParams, type ReceivedParams } from './params';
import { receivedQuery } from './queries';
import { ReceivedTable } from './ReceivedTable';
import { RefusedRequests } from './RefusedRequests';

const decisions = [
  { id: '', label: 'All' },
  ...DECISIONS.map((id) => ({ id, label: describeDecision(id).label })),
];

/** What sources sent and what was decided about it, the newest first. */
export function ReceivedAlerts() {
  const { list, change } = useReceivedParams();
  const query = useQuery(receivedQuery(toQuery(list)));
  const { data, isFetching, isPlaceholderData, refetch } = query;
  return (
    <>
      <Panel
        title="Alerts of sources"
        testId="received-alerts"
        actions={
          <Button size="small" onClick={() => void refetch()} disabled={isFetching}>
            Refresh
          </Button>
        }
      >
        <Filters list={list} change={change} />
        {isPlaceholderData && <LoadingBar />}
        <LoadState query={query} noun="received alerts" heightPx={320} />
        {data?.alerts.length === 0 && <NoAlerts list={list} change={change} />}
        {data !== undefined && data.alerts.length > 0 && (
          <ReceivedTable alerts={data.alerts} onSource={(source) => change({ source })} />
        )}
        <Pages list={list} older={data?.next_before ?? null} change={change} />
      </Panel>
      <RefusedRequests />
    </>
  );
}

/** The parameters in the URL. A change of a filter goes back to the newest alerts. */
function useReceivedParams() {
  const [search, setSearch] = useSearchParams();
  const list = useMemo(() => readParams(search), [search]);
  const change = useCallback(
    (changes: Partial<ReceivedParams>) =>
      setSearch((current) => writeParams({ ...readParams(current), before: '', ...changes })),
    [setSearch],
  );
  return { list, change };
}

interface PartProps {
  readonly list: ReceivedParams;
  readonly change: (changes: Partial<ReceivedParams>) => void;
}

function Filters({ list, change }: PartProps) {
  return (
    <Box
      role="search"
      aria-label="Filter the received alerts"
      sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', mb: 1.5 }}
    >
      <Box sx={{ overflowX: 'auto', maxWidth: '100%' }}>
        <ToggleFilter
          label="Decision"
          options={decisions}
          value={list.action}
          onChange={(action) => change({ action })}
        />
      </Box>
      {list.source !== '' && (
        <Chip
          label={`Source ${list.source}`}
          onDelete={() => change({ source: '' })}
          data-testid="filter-source"
          sx={{ maxWidth: 320 }}
        />
      )}
    </Box>
  );
}

function NoAlerts({ list, change }: PartProps) {
  if (list.before !== '') {
    return (
      <EmptyState icon={<SearchIcon />} title="No older alerts" testId="no-older-alerts">
        Alerts are deleted after the configured retention.
      </EmptyState>
    );
  }
  if (list.source !== '' || list.action !== '') {
    return (
      <EmptyState
        icon={<SearchIcon />}
        title="No matching alerts"
        testId="no-matching-alerts"
        action={<Button onClick={() => change(noFilter)}>Show all alerts</Button>}
      />
    );
  }
  return (
    <EmptyState icon={<ListIcon />} title="No alerts were received yet" testId="no-alerts">
      Alerts from configured sources appear here, including those that opened no session. Add a
      source to intake.sources in tarsy.yaml.
    </EmptyState>
  );
}

function Pages({ list, older, change }: PartProps & { readonly older: number | null }) {
  if (list.before === '' && older === null) return null;
  return (
    <Box
      component="nav"
      aria-label="Pages of the received alerts"
      sx={{ display: 'flex', justifyContent: 'center', gap: 1, pt: 2 }}
    >
      <Button disabled={list.before === ''} onClick={() => change({ before: '' })}>
        Newest
      </Button>
      <Button disabled={older === null} onClick={() => change({ before: String(older ?? '') })}>
        Older
      </Button>
    </Box>
  );
}

import { Box, Link } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Link as RouterLink } from 'react-router';
import {
  systemInfoQuery,
  testProvider,
  type ProviderCalls,
  type SystemInfo,
} from '../../api/system';
import { formatExact, plural } from '../../lib/text/format';
import { pages } from '../../lib/browser/paths';
import { formatDuration } from '../../lib/time/time';
import { Badge } from '../../ui/badges/Badge';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { RelativeTime } from '../../ui/numbers/times';
import { plainList } from '../../ui/theme/tokens';
import { systemStateQuery } from './queries';
import { TestConnection } from './TestConnection';

/** The providers of language models, those that can be called first, with their calls of the last hour and what the others lack. */
export function Providers() {
  const { data } = useQuery(systemInfoQuery);
  const calls = useQuery(systemStateQuery).data?.providers ?? [];
  if (!data || data.providers.length === 0) return null;
  const usable = data.providers.filter((provider) => provider.usable);
  const others = data.providers.filter((provider) => !provider.usable);
  return (
    <Panel
      title={`Providers (${usable.length} of ${data.providers.length} usable)`}
      testId="providers"
    >
      <Box component="ul" aria-label="Providers" sx={plainList}>
        {[...usable, ...others].map((provider) => (
          <ProviderRow
            key={provider.name}
            provider={provider}
            calls={calls.find((one) => one.provider === provider.name)}
          />
        ))}
      </Box>
    </Panel>
  );
}

interface ProviderRowProps {
  readonly provider: SystemInfo['providers'][number];
  /** Undefined without a call within the last hour. */
  readonly calls: ProviderCalls | undefined;
}

function ProviderRow({ provider, calls }: ProviderRowProps) {
  const { name, model, usable, reason } = provider;
  return (
    <Box
      component="li"
      data-testid="provider"
      sx={{
        py: 0.75,
        '& + &': { borderTop: 1, borderColor: 'divider' },
        overflowWrap: 'anywhere',
      }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <strong>{name}</strong>
        {usable && calls && isFailing(calls) ? (
          <Badge tone="error">Failing</Badge>
        ) : (
          <Badge tone={usable ? 'success' : 'neutral'}>{usable ? 'Usable' : 'Not usable'}</Badge>
        )}
      </Box>
      <Secondary size="small" component="div">
        {model}
        {reason !== null && ` · ${reason}`}
      </Secondary>
      {calls && <Calls {...calls} />}
      {usable && (
        <TestConnection
          to={name}
          test={() => testProvider(name)}
          connected={({ duration_ms: duration }) => `Answered in ${formatDuration(duration)}.`}
        />
      )}
    </Box>
  );
}

/** Whether its newest call failed. */
function isFailing({ last_call_at: last, last_failure: failure }: ProviderCalls): boolean {
  return failure?.at === last;
}

function Calls({ calls, failed, last_call_at: last, last_failure: failure }: ProviderCalls) {
  return (
    <Secondary size="small" component="div" testId="provider-calls">
      {plural(calls, 'call')} in the last hour, {formatExact(failed)} failed; the last one{' '}
      <RelativeTime at={last} updateEveryMs={5000} />
      {failure && (
        <>
          .{' '}
          <Link component={RouterLink} to={pages.session(failure.session_id)}>
            Last failure
          </Link>{' '}
          <RelativeTime at={failure.at} updateEveryMs={5000} />: {failure.message}
        </>
      )}
    </Secondary>
  );
}

import { Box, Skeleton, Table, TableBody, TableCell, TableHead, TableRow } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { asApiError } from '../../api/errors';
import type { Service } from '../../api/system';
import { formatAgo } from '../../lib/time';
import { useNow } from '../../lib/useNow';
import { ErrorState } from '../../ui/ErrorState';
import { Panel } from '../../ui/Panel';
import { Mark } from '../../ui/Mark';
import { servicesQuery } from './queries';

/** The processes that run, and what of them differs. */
export function Services() {
  const { data, error, isPending, refetch } = useQuery(servicesQuery);
  const now = useNow(true, 5000);
  const services = data?.services ?? [];
  const versions = new Set(services.map(({ version }) => version));
  const configs = new Set(services.map(({ config_hash }) => config_hash).filter(Boolean));
  return (
    <Panel title={data ? `Services (${services.length})` : 'Services'} testId="services">
      {isPending && (
        <Skeleton variant="rounded" height={96} role="status" aria-label="Loading services" />
      )}
      {error && (
        <ErrorState
          title="The services could not be loaded"
          message={asApiError(error).message}
          onRetry={() => void refetch()}
        />
      )}
      {data && services.length === 0 && (
        <Box sx={{ fontSize: '0.8125rem', color: 'text.secondary' }}>
          No service has told that it runs; the message bus may be away.
        </Box>
      )}
      {services.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus
        <Box role="region" aria-label="Services" tabIndex={0} sx={{ overflowX: 'auto' }}>
          <Table size="small" sx={{ '& th, & td': { px: 0.75 } }}>
            <TableHead>
              <TableRow>
                <TableCell>Service</TableCell>
                <TableCell>Version</TableCell>
                <TableCell>Load</TableCell>
                <TableCell>Seen</TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {services.map((service) => (
                <Row key={`${service.service} ${service.instance}`} service={service} now={now} />
              ))}
            </TableBody>
          </Table>
        </Box>
      )}
      {(versions.size > 1 || configs.size > 1) && (
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 1 }}>
          {versions.size > 1 && <Mark tone="warning">Versions differ</Mark>}
          {configs.size > 1 && <Mark tone="warning">Configurations differ</Mark>}
        </Box>
      )}
    </Panel>
  );
}

function Row({ service, now }: { readonly service: Service; readonly now: number }) {
  return (
    <TableRow data-testid="service" data-service={service.service}>
      <TableCell sx={{ overflowWrap: 'anywhere' }}>
        {service.service}
        <Box
          component="span"
          sx={{
            display: 'block',
            color: 'text.secondary',
            fontFamily: 'var(--tarsy-mono)',
            fontSize: '0.7rem',
          }}
        >
          {service.instance}
        </Box>
      </TableCell>
      <TableCell title={service.config_hash && `Configuration ${service.config_hash}`}>
        {service.version || '–'}
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        {service.capacity > 0 ? `${service.load} / ${service.capacity}` : '–'}
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>{formatAgo(service.seen_at, now)}</TableCell>
    </TableRow>
  );
}

import { Box, Table, TableBody, TableCell, TableHead, TableRow } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { Service } from '../../api/system';
import { Badge } from '../../ui/Badge';
import { LoadState } from '../../ui/LoadState';
import { Panel } from '../../ui/Panel';
import { Secondary } from '../../ui/Secondary';
import { RelativeTime } from '../../ui/times';
import { servicesQuery } from './queries';

/** The running service instances, with warnings about different versions or configurations. */
export function Services() {
  const query = useQuery(servicesQuery);
  const services = query.data?.services ?? [];
  return (
    <Panel title={query.data ? `Services (${services.length})` : 'Services'} testId="services">
      <LoadState query={query} noun="services" heightPx={96} />
      {query.data && services.length === 0 && (
        <Secondary>No service has sent a heartbeat. The message bus may be unavailable.</Secondary>
      )}
      {services.length > 0 && <ServiceTable services={services} />}
      <Mismatches services={services} />
    </Panel>
  );
}

function Mismatches({ services }: { readonly services: readonly Service[] }) {
  const versions = new Set(services.map(({ version }) => version));
  const configs = new Set(services.map(({ config_hash }) => config_hash).filter(Boolean));
  if (versions.size <= 1 && configs.size <= 1) return null;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 1 }}>
      {versions.size > 1 && <Badge tone="warning">Version mismatch</Badge>}
      {configs.size > 1 && <Badge tone="warning">Configuration mismatch</Badge>}
    </Box>
  );
}

function ServiceTable({ services }: { readonly services: readonly Service[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must take focus
    <Box role="region" aria-label="Services" tabIndex={0} sx={{ overflowX: 'auto' }}>
      <Table size="small" sx={{ '& th, & td': { px: 0.75 } }}>
        <TableHead>
          <TableRow>
            <TableCell>Service</TableCell>
            <TableCell>Version</TableCell>
            <TableCell>Load</TableCell>
            <TableCell>Last heartbeat</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {services.map((service) => (
            <ServiceRow key={`${service.service} ${service.instance}`} service={service} />
          ))}
        </TableBody>
      </Table>
    </Box>
  );
}

function ServiceRow({ service }: { readonly service: Service }) {
  return (
    <TableRow data-testid="service" data-service={service.service}>
      <TableCell sx={{ overflowWrap: 'anywhere', minWidth: 96 }}>
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
      <TableCell
        title={service.config_hash && `Configuration ${service.config_hash}`}
        sx={{ overflowWrap: 'anywhere', minWidth: 72 }}
      >
        {service.version || '–'}
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        {service.capacity > 0 ? `${service.load} / ${service.capacity}` : '–'}
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        <RelativeTime at={service.seen_at} updateEveryMs={5000} />
      </TableCell>
    </TableRow>
  );
}

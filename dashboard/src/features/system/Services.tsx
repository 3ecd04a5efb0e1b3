import { Box, Table, TableBody, TableCell, TableHead, TableRow } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { LlmService, Service } from '../../api/system';
import { plural } from '../../lib/text/format';
import { Badge } from '../../ui/badges/Badge';
import { LoadState } from '../../ui/notices/LoadState';
import { Panel } from '../../ui/layout/Panel';
import { Secondary } from '../../ui/layout/Secondary';
import { RelativeTime } from '../../ui/numbers/times';
import { servicesQuery, systemStateQuery } from './queries';

/** The running service instances and those that are missing, with warnings about different versions or configurations. */
export function Services() {
  const query = useQuery(servicesQuery);
  const llmService = useQuery(systemStateQuery).data?.llm_service ?? null;
  const services = query.data?.services ?? [];
  const missing = query.data?.missing ?? [];
  return (
    <Panel title={query.data ? `Services (${services.length})` : 'Services'} testId="services">
      <LoadState query={query} noun="services" heightPx={96} />
      {query.data && services.length === 0 && (
        <Secondary>
          No service has sent a heartbeat. NATS may be unavailable: tarsy doctor --cluster checks
          it.
        </Secondary>
      )}
      {(services.length > 0 || llmService) && (
        <ServiceTable services={services} missing={missing} llmService={llmService} />
      )}
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

interface ServiceTableProps {
  readonly services: readonly Service[];
  /** Services without an instance. */
  readonly missing: readonly string[];
  readonly llmService: LlmService | null;
}

function ServiceTable({ services, missing, llmService }: ServiceTableProps) {
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
          {llmService && <LlmServiceRow {...llmService} />}
          {missing.map((name) => (
            <MissingRow key={name} name={name} />
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

/** llm-service sends no heartbeat: it is asked every 15 seconds which providers are usable. */
function LlmServiceRow(props: LlmService) {
  const { replicas, connected_replicas: connected, answered_at: at, problem } = props;
  const isDown = problem !== null;
  return (
    <TableRow data-testid="service" data-service="llm-service">
      <TableCell colSpan={2} sx={{ overflowWrap: 'anywhere', minWidth: 96 }}>
        llm-service {isDown && <Badge tone="error">Unavailable</Badge>}
        {!isDown && connected < replicas && <Badge tone="warning">Degraded</Badge>}
        {isDown && (
          <Secondary size="small" component="div">
            {problem}. Models cannot be called until it answers: check that it runs, and its log.
          </Secondary>
        )}
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        {connected} / {plural(replicas, 'replica')}
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        {at === null ? 'None' : <RelativeTime at={at} updateEveryMs={5000} />}
      </TableCell>
    </TableRow>
  );
}

function MissingRow({ name }: { readonly name: string }) {
  return (
    <TableRow data-testid="service" data-service={name}>
      <TableCell colSpan={3} sx={{ overflowWrap: 'anywhere', minWidth: 96 }}>
        {name} <Badge tone="error">Unavailable</Badge>
        <Secondary size="small" component="div">
          No instance sends a heartbeat: start it, or read its log.
        </Secondary>
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>None</TableCell>
    </TableRow>
  );
}

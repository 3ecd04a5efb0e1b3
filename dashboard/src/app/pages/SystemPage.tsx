import { Box } from '@mui/material';
import { McpServers } from '../../features/system/McpServers';
import { Services } from '../../features/system/Services';
import { SystemFacts } from '../../features/system/SystemFacts';
import { Warnings } from '../../features/system/Warnings';
import { useTitle } from '../../lib/useTitle';
import { PageHeading } from '../../ui/PageHeading';

export function SystemPage() {
  useTitle('System');
  return (
    <>
      <PageHeading title="System">The tools agents may use, and what needs attention.</PageHeading>
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          alignItems: 'start',
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 1fr) 360px' },
        }}
      >
        <McpServers />
        <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
          <Warnings />
          <Services />
          <SystemFacts />
        </Box>
      </Box>
    </>
  );
}

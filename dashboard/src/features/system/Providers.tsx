import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../ui/Badge';
import { Panel } from '../../ui/Panel';
import { Secondary } from '../../ui/Secondary';
import { plainList } from '../../ui/tokens';
import { systemInfoQuery } from './queries';

/** The providers of language models, those that can be called first, and what the others lack. */
export function Providers() {
  const { data } = useQuery(systemInfoQuery);
  if (!data || data.providers.length === 0) return null;
  const usable = data.providers.filter((provider) => provider.usable);
  const others = data.providers.filter((provider) => !provider.usable);
  return (
    <Panel
      title={`Providers (${usable.length} of ${data.providers.length} usable)`}
      testId="providers"
    >
      <Box component="ul" aria-label="Providers" sx={plainList}>
        {[...usable, ...others].map(({ name, model, usable: isUsable, reason }) => (
          <Box
            component="li"
            key={name}
            data-testid="provider"
            sx={{
              py: 0.75,
              '& + &': { borderTop: 1, borderColor: 'divider' },
              overflowWrap: 'anywhere',
            }}
          >
            <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
              <strong>{name}</strong>
              <Badge tone={isUsable ? 'success' : 'neutral'}>
                {isUsable ? 'Usable' : 'Not usable'}
              </Badge>
            </Box>
            <Secondary size="small" component="div">
              {model}
              {reason !== null && ` · ${reason}`}
            </Secondary>
          </Box>
        ))}
      </Box>
    </Panel>
  );
}

import { Box } from '@mui/material';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getSystemConfig, type ConfigEntry } from '../../api/config';
import { keys } from '../../api/keys';
import { plural } from '../../lib/text/format';
import { Badge } from '../../ui/badges/Badge';
import { Disclosure } from '../../ui/layout/Disclosure';
import { LoadState } from '../../ui/notices/LoadState';
import SearchField from '../../ui/fields/SearchField';
import { Secondary } from '../../ui/layout/Secondary';
import { plainList } from '../../ui/theme/tokens';
import { readGroups, sourceOf, type ConfigGroup } from './sections';

const mono = { fontFamily: 'var(--tarsy-mono)', fontSize: '0.8125rem' } as const;

const configQuery = queryOptions({
  queryKey: keys.systemConfig,
  queryFn: ({ signal }) => getSystemConfig(signal),
  staleTime: 60_000,
});

export default function ConfigurationBody() {
  const query = useQuery(configQuery);
  const [search, setSearch] = useState('');
  const { data } = query;
  if (!data) return <LoadState query={query} noun="configuration" heightPx={240} />;
  const groups = readGroups(data, search);
  const total = groups.reduce((sum, { entries }) => sum + entries.length, 0);
  return (
    <>
      <SearchField label="Search the configuration" value={search} onChange={setSearch} />
      <Secondary role="status">
        {total === 0 ? 'No matching settings.' : plural(total, 'setting')}
        {data.config_hash !== '' && ` · fingerprint ${data.config_hash}`}
      </Secondary>
      {groups.map((group) => (
        <Group key={group.name} group={group} open={search.trim() !== ''} />
      ))}
    </>
  );
}

function Group({ group, open }: { readonly group: ConfigGroup; readonly open: boolean }) {
  const { name, entries, prefix } = group;
  return (
    <Disclosure
      open={open}
      testId="config-group"
      summary={
        <>
          <Box component="span" sx={mono}>
            {name}
          </Box>{' '}
          <Secondary component="span" size="small">
            {entries.length}
          </Secondary>
        </>
      }
    >
      <Box component="ul" aria-label={name} sx={{ ...plainList, pl: { xs: 0, sm: 3.25 } }}>
        {entries.map((entry) => (
          <Setting key={entry.path} entry={entry} prefix={prefix} />
        ))}
      </Box>
    </Disclosure>
  );
}

function Setting({ entry, prefix }: { readonly entry: ConfigEntry; readonly prefix: string }) {
  const { path, value, hidden, variables, source } = entry;
  const key = path.startsWith(prefix) ? path.slice(prefix.length) : path;
  return (
    <Box
      component="li"
      data-testid="config-entry"
      data-source={source}
      sx={{ py: 0.5, '& + &': { borderTop: 1, borderColor: 'divider' }, overflowWrap: 'anywhere' }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1.5 }}>
        <Box component="code" sx={{ ...mono, fontWeight: 600 }}>
          {key}
        </Box>
        {hidden ? (
          <Badge tone="neutral" tooltip="It may be a secret, so it is not sent to the browser">
            Hidden
          </Badge>
        ) : (
          <Box component="span" sx={{ ...mono, whiteSpace: 'pre-wrap' }}>
            {value === null || value === '' ? '–' : value}
          </Box>
        )}
      </Box>
      <Secondary size="small" component="div">
        {sourceOf(entry)}
        {variables.map(({ name, is_set }) => (
          <span key={name}>
            {' · '}
            <code>{name}</code>
            {is_set ? ' is set' : ' is not set here'}
          </span>
        ))}
      </Secondary>
    </Box>
  );
}

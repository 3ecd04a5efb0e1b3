import { Box } from '@mui/material';
import type { ReactNode } from 'react';
import { shownText } from '../text/shownText';

export interface DescriptionItem {
  readonly term: string;
  readonly value: ReactNode;
  readonly mono?: boolean;
}

/** Terms with their values as a `dl`. */
export function DescriptionList({ items }: { readonly items: readonly DescriptionItem[] }) {
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: 'grid',
        gridTemplateColumns: 'minmax(84px, auto) 1fr',
        columnGap: 2,
        rowGap: 0.75,
        fontSize: '0.8125rem',
        '& dt': { color: 'text.secondary' },
        '& dd': { m: 0, minWidth: 0, overflowWrap: 'anywhere' },
      }}
    >
      {items.map(({ term, value, mono }) => (
        <Box key={term} sx={{ display: 'contents' }}>
          <dt>{term}</dt>
          <Box
            component="dd"
            sx={mono ? { fontFamily: 'var(--tarsy-mono)', fontSize: '0.75rem' } : {}}
          >
            {shownText(value)}
          </Box>
        </Box>
      ))}
    </Box>
  );
}

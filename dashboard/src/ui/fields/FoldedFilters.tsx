import { Box, Button } from '@mui/material';
import { useState, type ReactNode } from 'react';
import { ChevronIcon } from '../theme/icons';

interface FoldedFiltersProps {
  /** Whether one of them is set. */
  readonly active: boolean;
  readonly children: ReactNode;
  /** Folded on every screen; otherwise on phones alone. */
  readonly always?: boolean;
}

/** Filters that are shown on demand: they would take the place of the first rows of the list. */
export function FoldedFilters({ active, children, always = false }: FoldedFiltersProps) {
  const [open, setOpen] = useState(false);
  const fromSm = (shown: string) => (always ? {} : { sm: shown });
  return (
    <>
      <Button
        size="small"
        color="inherit"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        endIcon={<ChevronIcon sx={{ transform: open ? 'rotate(180deg)' : 'none' }} />}
        data-testid="filters-toggle"
        sx={{
          display: { xs: 'inline-flex', ...fromSm('none') },
          minHeight: 40,
          color: 'text.secondary',
        }}
      >
        {active ? 'Filters (active)' : 'Filters'}
      </Button>
      {(open || !always) && (
        <Box
          sx={{
            display: { xs: open ? 'contents' : 'none', ...fromSm('contents') },
          }}
        >
          {children}
        </Box>
      )}
    </>
  );
}

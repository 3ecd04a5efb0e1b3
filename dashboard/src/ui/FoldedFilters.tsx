import { Box, Button } from '@mui/material';
import { useState, type ReactNode } from 'react';
import { ChevronIcon } from './icons';

interface FoldedFiltersProps {
  /** Whether one of them is set. */
  readonly active: boolean;
  readonly children: ReactNode;
}

/** Filters that a phone shows on demand: they would fill its screen before the first row of the list. */
export function FoldedFilters({ active, children }: FoldedFiltersProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        color="inherit"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        endIcon={<ChevronIcon sx={{ transform: open ? 'rotate(180deg)' : 'none' }} />}
        sx={{ display: { xs: 'inline-flex', sm: 'none' }, minHeight: 40, color: 'text.secondary' }}
      >
        {active ? 'Filters (active)' : 'Filters'}
      </Button>
      <Box sx={{ display: { xs: open ? 'contents' : 'none', sm: 'contents' } }}>{children}</Box>
    </>
  );
}

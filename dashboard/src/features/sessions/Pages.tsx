import { Box, Pagination } from '@mui/material';

interface PagesProps {
  readonly count: number;
  readonly page: number;
  readonly onChange: (page: number) => void;
}

/** The pages of the history. */
export default function Pages({ count, page, onChange }: PagesProps) {
  return (
    <Box sx={{ display: 'flex', justifyContent: 'center', pt: 2 }}>
      <Pagination count={count} page={page} onChange={(_event, next) => onChange(next)} />
    </Box>
  );
}

import { Box, Skeleton } from '@mui/material';

export function SessionSkeleton() {
  return (
    <Box role="status" aria-label="Loading the session" data-testid="session-skeleton">
      <Skeleton width={280} height={20} />
      <Skeleton width={360} height={48} />
      <Skeleton variant="rounded" height={120} sx={{ my: 2 }} />
      <Skeleton variant="rounded" height={280} />
    </Box>
  );
}

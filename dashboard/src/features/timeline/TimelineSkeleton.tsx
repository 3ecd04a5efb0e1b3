import { Box, Skeleton } from '@mui/material';

export function TimelineSkeleton() {
  return (
    <Box aria-hidden data-testid="timeline-skeleton">
      {[72, 120, 56].map((height) => (
        <Box key={height} sx={{ display: 'flex', gap: 1.5, mb: 2 }}>
          <Skeleton variant="circular" width={30} height={30} />
          <Skeleton variant="rounded" height={height} sx={{ flexGrow: 1 }} />
        </Box>
      ))}
    </Box>
  );
}

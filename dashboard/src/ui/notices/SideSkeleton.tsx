import { Skeleton } from '@mui/material';

/** In place of the panels beside the findings, which appear together. */
export function SideSkeleton() {
  return <Skeleton variant="rounded" height={320} role="status" aria-label="Loading details" />;
}

import { Box } from '@mui/material';

/** A bar that moves while something is loaded, for which there is already something to show. */
export function LoadingBar() {
  return (
    <Box
      role="progressbar"
      aria-label="Loading"
      sx={{
        height: 4,
        mb: -0.5,
        borderRadius: 1,
        bgcolor: 'primary.main',
        animation: 'tarsy-pulse 1.2s ease-in-out infinite',
      }}
    />
  );
}

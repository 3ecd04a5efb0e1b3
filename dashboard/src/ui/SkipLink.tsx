import { Box } from '@mui/material';

interface SkipLinkProps {
  /** Id of the element to which it skips. */
  readonly to: string;
  readonly children: string;
}

/** Visible while it has the focus; skips what is before its target in the tab order. */
export function SkipLink({ to, children }: SkipLinkProps) {
  return (
    <Box
      component="a"
      href={`#${to}`}
      sx={{
        position: 'fixed',
        top: 8,
        left: 8,
        zIndex: 'tooltip',
        px: 2,
        py: 1,
        borderRadius: 1,
        bgcolor: 'primary.main',
        color: 'primary.contrastText',
        fontWeight: 600,
        transform: 'translateY(-200%)',
        '&:focus': { transform: 'none' },
      }}
    >
      {children}
    </Box>
  );
}

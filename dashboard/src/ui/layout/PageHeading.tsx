import { Box, Typography } from '@mui/material';
import type { ReactNode } from 'react';

interface PageHeadingProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** With little room below it. */
  readonly dense?: boolean;
}

export function PageHeading({ title, children, actions, dense = false }: PageHeadingProps) {
  return (
    <Box
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'flex-end',
        gap: 2,
        mb: dense ? 1 : 2.5,
      }}
    >
      <Box sx={{ flexGrow: 1, minWidth: 0 }}>
        <Typography component="h1" variant="h1">
          {title}
        </Typography>
        {children && (
          <Typography component="p" sx={{ color: 'text.secondary', mt: 0.5 }}>
            {children}
          </Typography>
        )}
      </Box>
      {actions}
    </Box>
  );
}

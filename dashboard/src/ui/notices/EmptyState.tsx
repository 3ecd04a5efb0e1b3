import { Box, Typography } from '@mui/material';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  /** True when this is the whole page, whose heading is then the title. */
  readonly page?: boolean;
  readonly testId?: string;
}

export function EmptyState(props: EmptyStateProps) {
  const { icon, title, children, action, page = false, testId } = props;
  return (
    <Box
      data-testid={testId}
      sx={{
        display: 'flex',
        flexDirection: 'column',
        alignItems: 'center',
        textAlign: 'center',
        gap: 1,
        px: 2,
        py: 5,
        '& > svg': { fontSize: 40, color: 'primary.main', mb: 0.5 },
      }}
    >
      {icon}
      <Typography component={page ? 'h1' : 'p'} variant="h3">
        {title}
      </Typography>
      <Typography component="div" sx={{ color: 'text.secondary', maxWidth: 520 }}>
        {children}
      </Typography>
      {action && <Box sx={{ mt: 1.5 }}>{action}</Box>}
    </Box>
  );
}

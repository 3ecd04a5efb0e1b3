import { Box, Paper, Typography, type SxProps, type Theme } from '@mui/material';
import { useId, type ReactNode } from 'react';
import { Secondary } from './Secondary';
import { belowAppBar } from './tokens';

interface PanelProps {
  readonly title: ReactNode;
  /** What the title is, where it is not a name. */
  readonly eyebrow?: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  readonly icon?: ReactNode;
  readonly accent?: string;
  readonly sx?: SxProps<Theme>;
  readonly testId?: string;
  readonly id?: string;
  /** The key that moves the focus here. */
  readonly shortcut?: string;
}

/** A page section with a title. */
export function Panel(props: PanelProps) {
  const { title, eyebrow, children, actions, icon, accent, sx, testId, id, shortcut } = props;
  const heading = useId();
  return (
    <Paper
      component="section"
      id={id}
      tabIndex={id === undefined && shortcut === undefined ? undefined : -1}
      data-shortcut={shortcut}
      variant="outlined"
      aria-labelledby={heading}
      data-testid={testId}
      sx={[
        {
          overflow: 'hidden',
          scrollMarginTop: belowAppBar(18),
          borderTop: accent ? `3px solid ${accent}` : undefined,
        },
        ...(Array.isArray(sx) ? sx : [sx ?? false]),
      ]}
    >
      <Box
        sx={{ display: 'flex', alignItems: 'center', gap: 1, px: 2, pt: 1.5, pb: 1, minHeight: 44 }}
      >
        {icon}
        <Box sx={{ flexGrow: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
          {eyebrow && <Secondary size="small">{eyebrow}</Secondary>}
          <Typography id={heading} component="h2" variant="h3" dir="auto">
            {title}
          </Typography>
        </Box>
        {actions}
      </Box>
      <Box sx={{ px: 2, pb: 2 }}>{children}</Box>
    </Paper>
  );
}

import { Box, ButtonBase, Paper, Typography, type SxProps, type Theme } from '@mui/material';
import { useId, useState, type ReactNode } from 'react';
import { Secondary } from './Secondary';
import { ChevronIcon } from '../theme/icons';
import { belowAppBar } from '../theme/tokens';

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
  /** Whether it is open; its title opens and closes it then. It follows this until the user toggles it. */
  readonly open?: boolean;
}

/** A page section with a title. */
export function Panel(props: PanelProps) {
  const { title, eyebrow, children, actions, icon, accent, sx, testId, id, shortcut, open } = props;
  const heading = useId();
  const [toggled, setToggled] = useState<boolean | null>(null);
  const isOpen = open === undefined || (toggled ?? open);
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
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1,
          px: 2,
          pt: 1.5,
          pb: isOpen ? 1 : 1.5,
          minHeight: 44,
        }}
      >
        {icon}
        <Box sx={{ flexGrow: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
          {eyebrow && <Secondary size="small">{eyebrow}</Secondary>}
          <Typography id={heading} component="h2" variant="h3" dir="auto">
            {open === undefined ? (
              title
            ) : (
              <Fold isOpen={isOpen} onToggle={() => setToggled(!isOpen)}>
                {title}
              </Fold>
            )}
          </Typography>
        </Box>
        {actions}
      </Box>
      {isOpen && <Box sx={{ px: 2, pb: 2 }}>{children}</Box>}
    </Paper>
  );
}

interface FoldProps {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

function Fold({ isOpen, onToggle, children }: FoldProps) {
  return (
    <ButtonBase
      aria-expanded={isOpen}
      onClick={onToggle}
      sx={{ font: 'inherit', letterSpacing: 'inherit', gap: 0.5, borderRadius: 1, minHeight: 24 }}
    >
      {children}
      <ChevronIcon
        sx={{
          fontSize: 18,
          color: 'text.secondary',
          transform: isOpen ? 'none' : 'rotate(-90deg)',
        }}
      />
    </ButtonBase>
  );
}

import { Box, ButtonBase } from '@mui/material';
import { useId, useState, type ReactNode } from 'react';
import { ChevronIcon } from '../theme/icons';

interface DisclosureProps {
  readonly summary: ReactNode;
  readonly children: ReactNode;
  readonly open?: boolean;
  readonly testId?: string;
}

/** A collapsible section. It follows `open` until the user toggles it. */
export function Disclosure({ summary, children, open = false, testId }: DisclosureProps) {
  const [toggled, setToggled] = useState<boolean | null>(null);
  const shown = toggled ?? open;
  const region = useId();
  return (
    <Box data-testid={testId}>
      <ButtonBase
        onClick={() => setToggled(!shown)}
        aria-expanded={shown}
        aria-controls={shown ? region : undefined}
        sx={{
          width: '100%',
          justifyContent: 'flex-start',
          gap: 1,
          py: 0.5,
          textAlign: 'left',
          font: 'inherit',
          borderRadius: 1,
          '&:focus-visible': { outline: '2px solid', outlineColor: 'primary.main' },
        }}
      >
        <ChevronIcon
          sx={{
            fontSize: 18,
            color: 'text.secondary',
            transform: shown ? 'none' : 'rotate(-90deg)',
          }}
        />
        <Box sx={{ flexGrow: 1, minWidth: 0 }}>{summary}</Box>
      </ButtonBase>
      {shown && (
        <Box id={region} sx={{ pt: 0.5 }}>
          {children}
        </Box>
      )}
    </Box>
  );
}

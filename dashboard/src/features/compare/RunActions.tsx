import { Button } from '@mui/material';
import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';
import { useMay } from '../../api/access';
import type { SessionDetail } from '../../api/sessions';
import { ReplayIcon, SwitchIcon } from '../../ui/theme/icons';

const CompareDialog = lazy(() => import('./CompareDialog'));
const ReplayDialog = lazy(() => import('./ReplayDialog'));

interface RunActionsProps {
  readonly session: SessionDetail;
}

/** What is done with a finished run: it is compared with another one, or replayed. */
export function RunActions({ session }: RunActionsProps) {
  const mayReplay = useMay('replay_session');
  return (
    <>
      <DialogButton session={session} icon={<SwitchIcon />} content={CompareDialog}>
        Compare with…
      </DialogButton>
      {mayReplay && (
        <DialogButton
          session={session}
          icon={<ReplayIcon />}
          content={ReplayDialog}
          isPrimary={session.origin === 'recording'}
        >
          Replay with…
        </DialogButton>
      )}
    </>
  );
}

interface DialogButtonProps extends RunActionsProps {
  readonly icon: ReactNode;
  readonly content: ComponentType<RunActionsProps & { readonly onClose: () => void }>;
  readonly isPrimary?: boolean;
  readonly children: string;
}

function DialogButton(props: DialogButtonProps) {
  const { session, icon, content: Content, isPrimary = false, children } = props;
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        variant={isPrimary ? 'contained' : 'text'}
        color={isPrimary ? 'primary' : 'inherit'}
        startIcon={icon}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        sx={isPrimary ? undefined : { color: 'text.secondary' }}
      >
        {children}
      </Button>
      {open && (
        <Suspense fallback={null}>
          <Content session={session} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

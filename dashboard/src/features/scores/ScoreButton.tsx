import { Button } from '@mui/material';
import { lazy, Suspense, useState } from 'react';

const ScoreDialog = lazy(() => import('./ScoreDialog'));

interface ScoreButtonProps {
  readonly id: string;
  /** Null before the session was scored. */
  readonly score: number | null;
}

/** Shows how well a session was investigated. What it rests on is loaded when it is wanted. */
export function ScoreButton({ id, score }: ScoreButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        color="inherit"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        data-testid="score"
        sx={{ color: 'text.secondary' }}
      >
        {score === null ? 'Score…' : `Score ${score}…`}
      </Button>
      {open && (
        <Suspense fallback={null}>
          <ScoreDialog id={id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

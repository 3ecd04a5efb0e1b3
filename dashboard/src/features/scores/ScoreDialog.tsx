import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
} from '@mui/material';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useMay } from '../../api/access';
import { asApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import { getScores, requestScore, type Score, type Scores } from '../../api/scores';
import { Disclosure } from '../../ui/layout/Disclosure';
import { Column } from '../../ui/layout/layout';
import { LoadState } from '../../ui/notices/LoadState';
import { ScoreDetails } from './ScoreDetails';

/** How often a score that is being made is read. */
const REFETCH_MS = 5_000;

const isOpen = (score: Score | null | undefined) =>
  score?.status === 'pending' || score?.status === 'in_progress';

interface ScoreDialogProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** The score of a session with what it rests on, those before it, and a request for another one. */
export default function ScoreDialog({ id, onClose }: ScoreDialogProps) {
  const heading = useId();
  const client = useQueryClient();
  const mayScore = useMay('review_session');
  const query = useQuery({
    queryKey: keys.scores(id),
    queryFn: ({ signal }) => getScores(id, signal),
    refetchInterval: ({ state }) => (isOpen(state.data?.score) ? REFETCH_MS : false),
  });
  const again = useMutation({
    mutationFn: () => requestScore(id),
    onSettled: () => client.invalidateQueries({ queryKey: keys.scores(id) }),
  });
  const score = query.data?.score ?? null;
  return (
    <Dialog open onClose={onClose} aria-labelledby={heading} maxWidth="md" fullWidth>
      <DialogTitle id={heading}>Score</DialogTitle>
      <DialogContent data-testid="score-dialog">
        <LoadState query={query} noun="the score" heightPx={160} />
        {query.data && <Content scores={query.data} />}
        {again.error && (
          <Alert severity="error" sx={{ mt: 2 }}>
            {asApiError(again.error).message}
          </Alert>
        )}
      </DialogContent>
      <DialogActions>
        {mayScore && (
          <Button
            onClick={() => again.mutate()}
            disabled={!query.data || again.isPending || isOpen(score)}
            data-testid="score-again"
          >
            {score === null ? 'Score this session' : 'Score again'}
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

function Content({ scores: { score, history } }: { readonly scores: Scores }) {
  if (score === null) {
    return (
      <DialogContentText>
        Not scored. A model judges the investigation, and code counts what its record has.
      </DialogContentText>
    );
  }
  return (
    <Column>
      <ScoreDetails score={score} />
      {history.map((earlier) => (
        <Disclosure
          key={earlier.id}
          summary={`Score ${earlier.number}: ${earlier.score ?? 'none'}`}
          testId="earlier-score"
        >
          <ScoreDetails score={earlier} />
        </Disclosure>
      ))}
    </Column>
  );
}

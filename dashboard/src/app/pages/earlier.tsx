import { Alert, Link } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link as RouterLink, useSearchParams } from 'react-router';
import { asApiError } from '../../api/errors';
import type { SessionDetail } from '../../api/sessions';
import { sessionQuery } from '../../features/session/queries';
import { pages } from '../../lib/paths';

interface EarlierState {
  readonly id: string | null;
  readonly session: SessionDetail | undefined;
  readonly error: unknown;
}

/** The session whose alert is to be submitted again, if the address names one. */
export function useEarlier(): EarlierState {
  const [params] = useSearchParams();
  const id = params.get('again');
  const client = useQueryClient();
  const { data, error } = useQuery({
    ...sessionQuery(client, id ?? ''),
    enabled: id !== null,
    staleTime: Infinity,
  });
  return { id, session: id === null ? undefined : data, error };
}

/** Says whose alert fills the form. */
export function Earlier({ id, session, error }: EarlierState) {
  if (id === null) return null;
  if (session === undefined && error) {
    return (
      <Alert severity="warning" sx={{ mb: 2 }} data-testid="earlier-failure">
        The earlier alert could not be loaded: {asApiError(error).message}
      </Alert>
    );
  }
  return (
    <Alert severity="info" sx={{ mb: 2 }} data-testid="earlier-alert">
      {session === undefined ? 'Loading the earlier alert…' : 'This is the alert of '}
      {session !== undefined && (
        <>
          <Link component={RouterLink} to={pages.session(id)}>
            an earlier session
          </Link>
          . What was masked in it stays masked.
        </>
      )}
    </Alert>
  );
}

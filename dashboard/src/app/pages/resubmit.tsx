/** Resubmission: the alert of an earlier session fills in the submit form. */
import { Box, Link } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link as RouterLink, useSearchParams } from 'react-router';
import { asApiError } from '../../api/errors';
import type { SessionDetail } from '../../api/sessions';
import { sessionQuery } from '../../features/session/queries';
import { pages } from '../../lib/browser/paths';
import { Callout } from '../../ui/notices/Callout';

interface Resubmission {
  /** Id of the earlier session; null when the URL names none. */
  readonly id: string | null;
  readonly session: SessionDetail | undefined;
  readonly error: unknown;
}

/** Loads the session in the `resubmit` parameter of the URL. */
export function useResubmission(): Resubmission {
  const [params] = useSearchParams();
  const id = params.get('resubmit');
  const client = useQueryClient();
  const { data, error } = useQuery({
    ...sessionQuery(client, id ?? ''),
    enabled: id !== null,
    staleTime: Infinity,
  });
  return { id, session: id === null ? undefined : data, error };
}

/** States from which session the form was filled in. */
export function ResubmissionNotice({ id, session, error }: Resubmission) {
  if (id === null) return null;
  if (session === undefined && error) {
    return (
      <Box sx={{ mb: 2 }}>
        <Callout tone="warning" testId="resubmission-error">
          Could not load the earlier alert: {asApiError(error).message}
        </Callout>
      </Box>
    );
  }
  return (
    <Box sx={{ mb: 2 }}>
      <Callout tone="info" testId="resubmission-notice">
        {session === undefined ? (
          'Loading the earlier alert…'
        ) : (
          <>
            Copied from{' '}
            <Link component={RouterLink} to={pages.session(id)}>
              an earlier session
            </Link>
            . Masked values stay masked.
          </>
        )}
      </Callout>
    </Box>
  );
}

import { Button } from '@mui/material';
import { Link as RouterLink } from 'react-router';
import { asApiError } from '../../api/errors';
import { showBidiControls } from '../../lib/text/bidi';
import { pages } from '../../lib/browser/paths';
import { useTitle } from '../../lib/browser/useTitle';
import { EmptyState } from '../../ui/notices/EmptyState';
import { SearchIcon } from '../../ui/theme/icons';

interface NotFoundPageProps {
  readonly title?: string;
  readonly children?: string;
}

export function NotFoundPage({
  title = 'Page not found',
  children = 'The URL may be wrong or out of date.',
}: NotFoundPageProps) {
  useTitle('Not found');
  return (
    <EmptyState
      icon={<SearchIcon />}
      title={title}
      page
      testId="not-found"
      action={
        <Button component={RouterLink} to={pages.sessions} variant="contained">
          All sessions
        </Button>
      }
    >
      {children}
    </EmptyState>
  );
}

export function SessionNotFound() {
  return (
    <NotFoundPage title="Session not found">
      It may have been deleted, or the URL is incomplete.
    </NotFoundPage>
  );
}

/** What is left of a session that a person deleted: who, when and why. */
export function SessionDeleted({ children }: { readonly children: string }) {
  return <NotFoundPage title="Session deleted">{children}</NotFoundPage>;
}

/** The page of a session that is not there; null for any other error. */
export function missingSession(error: unknown) {
  if (!error) return null;
  const { status, message } = asApiError(error);
  if (status === 410) return <SessionDeleted>{showBidiControls(message)}</SessionDeleted>;
  // An id that is none is refused: its URL was cut or mistyped.
  return status === 404 || status === 400 ? <SessionNotFound /> : null;
}

import { Skeleton } from '@mui/material';
import { lazy, Suspense } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { pages } from '../../lib/browser/paths';
import { useTitle } from '../../lib/browser/useTitle';
import { CopyLink } from '../../ui/text/CopyLink';
import { EmptyState } from '../../ui/notices/EmptyState';
import { PageHeading } from '../../ui/layout/PageHeading';
import { SwitchIcon } from '../../ui/theme/icons';

const Comparison = lazy(async () => ({
  default: (await import('../../features/compare/Comparison')).Comparison,
}));

const SessionIdForm = lazy(async () => ({
  default: (await import('../../features/compare/SessionIdForm')).SessionIdForm,
}));

/** Two sessions beside each other. */
export function ComparePage() {
  useTitle('Compare sessions');
  const [params] = useSearchParams();
  const first = params.get('first') ?? '';
  const second = params.get('second') ?? '';
  const isComplete = first !== '' && second !== '' && first !== second;
  return (
    <>
      <PageHeading
        title="Compare sessions"
        actions={isComplete && <CopyLink page={pages.compare(first, second)} to="the comparison" />}
      >
        Calls, claims, verdict, tokens, time and report of two investigations.
      </PageHeading>
      {!isComplete ? (
        <Choose first={first} />
      ) : (
        <Suspense fallback={<Skeleton variant="rounded" height={320} />}>
          <Comparison key={`${first} ${second}`} first={first} second={second} />
        </Suspense>
      )}
    </>
  );
}

/** Asks for the session that is missing: the first, or the second. */
function Choose({ first }: { readonly first: string }) {
  const navigate = useNavigate();
  return (
    <EmptyState
      icon={<SwitchIcon />}
      title={first === '' ? 'Choose two sessions' : 'Choose another session'}
      testId="compare-choose"
      action={
        <Suspense fallback={<Skeleton variant="rounded" height={40} />}>
          <SessionIdForm
            key={first}
            label={first === '' ? "The first session's ID" : "The other session's ID"}
            onChoose={(id) =>
              void navigate(pages.compare(first === '' ? id : first, first === '' ? '' : id))
            }
          />
        </Suspense>
      }
    >
      Compare a session with one of its re-runs or replays. Its page has “Compare with…”, too.
    </EmptyState>
  );
}

import { Skeleton } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { meQuery, type Permission } from '../api/access';
import { EmptyState } from '../ui/notices/EmptyState';
import { ErrorState } from '../ui/notices/ErrorState';
import { LocalTokenHint } from '../ui/notices/LocalTokenHint';
import { AlertIcon } from '../ui/theme/icons';

interface RequirePermissionProps {
  readonly permission: Permission;
  /** What the page is for, as in "You do not have permission to …". */
  readonly activity: string;
  /** The first role that has the permission. */
  readonly leastRole: string;
  readonly children: ReactNode;
}

/** A page that only some roles may use. Others read which role it needs, and nothing is requested for them. */
export function RequirePermission(props: RequirePermissionProps) {
  const { permission, activity, leastRole, children } = props;
  const { data, error, refetch } = useQuery(meQuery);
  if (data?.permissions.includes(permission)) return children;
  if (data?.mode === 'local') return <LocalTokenHint activity={activity} />;
  if (data !== undefined) return <NotPermitted activity={activity} leastRole={leastRole} />;
  if (error) {
    return (
      <ErrorState
        page
        title="Could not load your permissions"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  }
  return <Skeleton variant="rounded" height={120} role="status" aria-label="Loading permissions" />;
}

interface NotPermittedProps {
  readonly activity: string;
  readonly leastRole: string;
}

export function NotPermitted({ activity, leastRole }: NotPermittedProps) {
  return (
    <EmptyState
      page
      icon={<AlertIcon />}
      title={`You do not have permission to ${activity}`}
      testId="not-permitted"
    >
      This needs the role {leastRole}. Ask an administrator of TARSy for it.
    </EmptyState>
  );
}

import { Box, Button } from '@mui/material';
import { NavLink, Link as RouterLink } from 'react-router';
import { useMay } from '../api/access';
import { pages } from '../lib/browser/paths';
import { LazyMenu } from '../ui/layout/LazyMenu';
import { ChevronIcon } from '../ui/theme/icons';
import { visuallyHidden } from '../ui/theme/tokens';
import { toneColors } from '../ui/badges/tones';
import { useApprovalCount } from '../features/approvals/queries';
import { useWaitingInTitle } from '../lib/browser/useTitle';
import {
  approvals,
  overview,
  prevention,
  receivedAlerts,
  search,
  sessions,
  submit,
  system,
  useAdministration,
  type NavigationEntry,
} from './navigation';

export function Brand() {
  return (
    <Box
      component={RouterLink}
      to={pages.sessions}
      aria-label="TARSy, all sessions"
      // The first link of the navigation leads there, too.
      tabIndex={-1}
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1,
        color: 'text.primary',
        textDecoration: 'none',
        fontWeight: 750,
        fontSize: '1.0625rem',
        letterSpacing: '-0.02em',
      }}
    >
      <Logo />
      <Box component="span" sx={{ display: { xs: 'none', sm: 'inline' } }}>
        TARSy
      </Box>
    </Box>
  );
}

/** The icon of `public/favicon.svg`, without another request. */
function Logo() {
  return (
    <svg viewBox="0 0 32 32" width={26} height={26} aria-hidden>
      <rect width="32" height="32" rx="7" fill="#0f766e" />
      <path
        d="M5 17h5l3-8 5 15 3.5-9H27"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** On a narrow screen, the menu of administrators has their pages, those of alerts and of the system, and the form. */
export function Nav() {
  const maySubmit = useMay('submit_alert');
  const administered = useAdministration();
  const hasMenu = administered.length > 0;
  const waiting = useApprovalCount();
  useWaitingInTitle(waiting);
  return (
    <Box
      component="nav"
      aria-label="Main"
      sx={{ display: 'flex', gap: { xs: 0, sm: 0.5 }, minWidth: 0, overflowX: 'auto' }}
    >
      <PageLink to={sessions.to} title={sessions.title} />
      <PageLink
        to={approvals.to}
        title={approvals.title}
        from={waiting > 0 ? 'xs' : 'md'}
        count={waiting}
      />
      <PageLink to={search.to} title={search.title} from={hasMenu ? 'sm' : 'xs'} />
      <PageLink to={overview.to} title={overview.title} from={hasMenu ? 'md' : 'xs'} />
      {maySubmit && <PageLink to={submit.to} title={submit.title} from={hasMenu ? 'sm' : 'xs'} />}
      <PageLink to={receivedAlerts.to} title={receivedAlerts.title} from={hasMenu ? 'md' : 'xs'} />
      <PageLink to={system.to} title={system.title} from={hasMenu ? 'md' : 'xs'} />
      {administered.map(({ to, title }) => (
        <PageLink key={to} to={to} title={title} from="md" />
      ))}
      {hasMenu && <MoreMenu maySubmit={maySubmit} entries={administered} />}
    </Box>
  );
}

const linkStyle = {
  minWidth: 0,
  flexShrink: 0,
  px: { xs: 0.75, sm: 1.5 },
  color: 'text.secondary',
  whiteSpace: 'nowrap',
  '&.active': { color: 'primary.main', bgcolor: 'action.selected' },
} as const;

interface PageLinkProps extends Pick<NavigationEntry, 'to' | 'title'> {
  /** The narrowest screen that shows it. */
  readonly from?: 'xs' | 'sm' | 'md';
  /** How much waits there; 0 is not shown. */
  readonly count?: number;
}

function PageLink({ to, title, from = 'xs', count = 0 }: PageLinkProps) {
  const display = from === 'xs' ? {} : { display: { xs: 'none', [from]: 'inline-flex' } };
  return (
    <Button
      component={NavLink}
      to={to}
      end
      color="inherit"
      size="small"
      sx={{ ...linkStyle, ...display }}
    >
      {title}
      {count > 0 && <Count value={count} />}
    </Button>
  );
}

function Count({ value }: { readonly value: number }) {
  return (
    <Box
      component="span"
      data-testid="approval-count"
      sx={{ ...toneColors('warning'), ml: 0.75, px: 0.75, borderRadius: 99, fontWeight: 700 }}
    >
      {value}
      <Box component="span" sx={visuallyHidden}>
        {' waiting'}
      </Box>
    </Box>
  );
}

interface MoreMenuProps {
  readonly maySubmit: boolean;
  readonly entries: readonly NavigationEntry[];
}

function MoreMenu({ maySubmit, entries }: MoreMenuProps) {
  const linkTo = ({ title, to }: NavigationEntry) => ({
    title,
    link: { component: RouterLink, to },
  });
  const narrow = [search, ...(maySubmit ? [submit] : [])].map((entry) => ({
    ...linkTo(entry),
    sx: { display: { sm: 'none' } },
  }));
  return (
    <LazyMenu
      entries={[
        ...narrow,
        ...[approvals, overview, prevention, receivedAlerts, system, ...entries].map(linkTo),
      ]}
      renderButton={(opening) => (
        <Button
          {...opening}
          color="inherit"
          size="small"
          endIcon={<ChevronIcon />}
          sx={{ ...linkStyle, display: { md: 'none' }, '& .MuiButton-endIcon': { ml: 0.25 } }}
        >
          More
        </Button>
      )}
    />
  );
}

import { Box } from '@mui/material';
import { Component, useEffect, useRef, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { asApiError } from '../api/errors';
import { pageReload } from '../lib/browser/pageReload';
import { useLiveStatus } from '../live/LiveProvider';
import { ErrorState } from '../ui/notices/ErrorState';

/** A part of the page that could not be loaded is there again when the network is, or the server. */
function useReloadWhenBack(wanted: boolean): void {
  const status = useLiveStatus();
  const wasAway = useRef(false);
  useEffect(() => {
    if (status === 'reconnecting') wasAway.current = wanted;
    else if (status === 'open' && wasAway.current) pageReload.run();
  }, [wanted, status]);
}

interface RouteErrorProps {
  /** Whether the layout is around it. */
  readonly framed?: boolean;
  readonly children: ReactNode;
}

/** The error boundary of the pages. Another page is rendered anew. */
export function RouteError({ framed = false, children }: RouteErrorProps) {
  const { pathname } = useLocation();
  return (
    <Boundary at={pathname} framed={framed}>
      {children}
    </Boundary>
  );
}

interface BoundaryProps {
  /** The path of the page. */
  readonly at: string;
  readonly framed: boolean;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly at: string;
  readonly failure: { readonly error: unknown } | null;
}

class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { at: this.props.at, failure: null };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ at }: BoundaryProps, state: BoundaryState) {
    return at === state.at ? null : { at, failure: null };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    const { framed, children } = this.props;
    return failure === null ? children : <PageError framed={framed} error={failure.error} />;
  }
}

function PageError({ framed, error }: { readonly framed: boolean; readonly error: unknown }) {
  const { message } = asApiError(error);
  const notLoaded = /dynamically imported module|module script|preload/i.test(message);
  useReloadWhenBack(notLoaded);
  return (
    <Box component={framed ? 'div' : 'main'} sx={{ p: 3, maxWidth: 720, mx: 'auto' }}>
      <ErrorState
        page
        title={notLoaded ? 'Could not load this page' : 'Could not render this page'}
        error={
          notLoaded ? 'TARSy may have been updated or may be unreachable. Try again.' : message
        }
        onRetry={pageReload.run}
      />
    </Box>
  );
}

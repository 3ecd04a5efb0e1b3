import { Button } from '@mui/material';
import { lazy, Suspense, useState } from 'react';
import { useViews, type ViewStore } from '../../lib/browser/savedViews';
import { ChevronIcon } from '../theme/icons';
import { LazyMenu } from '../layout/LazyMenu';

const ViewsDialog = lazy(() => import('./ViewsDialog'));

interface ViewMenuProps {
  readonly store: ViewStore;
  /** The current filters as a query string; empty without any. */
  readonly query: string;
  readonly canSave: boolean;
  readonly onApply: (query: URLSearchParams) => void;
}

/** The saved views of a page: applies one, or opens the dialog that saves and deletes them. */
export function ViewMenu({ store, query, canSave, onApply }: ViewMenuProps) {
  const [managing, setManaging] = useState(false);
  const views = useViews(store);
  return (
    <>
      <LazyMenu
        entries={[
          ...views.map((view) => ({
            title: view.name,
            onClick: () => onApply(new URLSearchParams(view.query)),
          })),
          {
            title: views.length === 0 ? 'Save these filters…' : 'Save or delete views…',
            onClick: () => setManaging(true),
            disabled: views.length === 0 && !canSave,
          },
        ]}
        renderButton={(opening) => (
          <Button
            {...opening}
            size="small"
            color="inherit"
            endIcon={<ChevronIcon />}
            sx={{ minHeight: 40, color: 'text.secondary' }}
          >
            Views
          </Button>
        )}
      />
      {managing && (
        <Suspense fallback={null}>
          <ViewsDialog
            store={store}
            query={canSave ? query : ''}
            onClose={() => setManaging(false)}
          />
        </Suspense>
      )}
    </>
  );
}

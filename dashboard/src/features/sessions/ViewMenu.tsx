import { Button } from '@mui/material';
import { lazy, Suspense, useState } from 'react';
import { LazyMenu } from '../../ui/LazyMenu';
import { ChevronIcon } from '../../ui/icons';
import { isFiltered, readParams, writeParams, type ListChange, type ListParams } from './params';
import { useViews } from './views';

const ViewsDialog = lazy(() => import('./ViewsDialog'));

interface ViewMenuProps {
  readonly list: ListParams;
  readonly change: (change: ListChange) => void;
}

/** The saved views of the list: applies one, or opens the dialog that saves and deletes them. */
export function ViewMenu({ list, change }: ViewMenuProps) {
  const [managing, setManaging] = useState(false);
  const views = useViews();
  const query = writeParams({ ...list, page: 1 }).toString();
  return (
    <>
      <LazyMenu
        entries={[
          ...views.map((view) => ({
            title: view.name,
            onClick: () => change(readParams(new URLSearchParams(view.query))),
          })),
          {
            title: views.length === 0 ? 'Save these filters…' : 'Save or delete views…',
            onClick: () => setManaging(true),
            disabled: views.length === 0 && !isFiltered(list),
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
          <ViewsDialog query={query} onClose={() => setManaging(false)} />
        </Suspense>
      )}
    </>
  );
}

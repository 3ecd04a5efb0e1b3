import { lazy, Suspense, useId, useState, type ElementType, type ReactNode } from 'react';

const MenuBody = lazy(() => import('./MenuBody'));

interface Opening {
  readonly 'aria-haspopup': 'menu';
  readonly 'aria-expanded': boolean;
  readonly 'aria-controls': string | undefined;
  readonly onClick: (event: { readonly currentTarget: HTMLElement }) => void;
}

export interface MenuEntry {
  readonly title: string;
  readonly onClick?: () => void | Promise<void>;
  /** The component that links to a page, and its path. */
  readonly link?: { readonly component: ElementType; readonly to: string };
  readonly disabled?: boolean;
  /** The screens that show it; all by default. */
  readonly sx?: object;
}

interface LazyMenuProps {
  readonly renderButton: (opening: Opening) => ReactNode;
  readonly entries: readonly MenuEntry[];
}

/** A menu with its button. The code of menus is loaded when the first one opens. */
export function LazyMenu({ renderButton, entries }: LazyMenuProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const id = useId();
  const open = anchor !== null;
  return (
    <>
      {renderButton({
        'aria-haspopup': 'menu',
        'aria-expanded': open,
        'aria-controls': open ? id : undefined,
        onClick: (event) => setAnchor(event.currentTarget),
      })}
      {open && (
        <Suspense fallback={null}>
          <MenuBody id={id} anchor={anchor} entries={entries} onClose={() => setAnchor(null)} />
        </Suspense>
      )}
    </>
  );
}

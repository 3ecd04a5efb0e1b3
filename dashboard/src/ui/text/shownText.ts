import { Children, type ReactNode } from 'react';
import { showBidiControls } from '../../lib/text/bidi';

/** Content whose texts read in the order in which they are stored, whoever wrote them. */
export function shownText(children: ReactNode): ReactNode {
  if (typeof children === 'string') return showBidiControls(children);
  if (!Array.isArray(children)) return children;
  return Children.map(children, (child: ReactNode) =>
    typeof child === 'string' ? showBidiControls(child) : child,
  );
}

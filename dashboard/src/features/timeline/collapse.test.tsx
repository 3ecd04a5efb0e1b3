import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it } from 'vitest';
import type { TimelineItem } from '../../live/reduce';
import { timelineEvent } from '../../test/builders';
import { CollapseContext, expanded, toggleAll, useCollapsed } from './collapse';

it('collapses a step that is shown for the first time after all were collapsed', () => {
  const collapsed = toggleAll(expanded);
  const wrapper = ({ children }: { readonly children: ReactNode }) => (
    <CollapseContext value={collapsed}>{children}</CollapseContext>
  );
  const item: TimelineItem = { ...timelineEvent(), status: 'completed', bytes: 5 };
  const { result } = renderHook(() => useCollapsed(item), { wrapper });
  expect(result.current.collapsed).toBe(true);
});

/** Props of the components that render one type of timeline event. */
import type { ComponentType } from 'react';
import type { TimelineItem } from '../../live/reduce';

export interface KindProps {
  readonly item: TimelineItem;
  readonly summary?: TimelineItem | undefined;
}

export type Kind = ComponentType<KindProps>;

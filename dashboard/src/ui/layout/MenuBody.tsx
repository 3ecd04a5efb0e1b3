import { Menu, MenuItem } from '@mui/material';
import type { MenuEntry } from './LazyMenu';

interface MenuBodyProps {
  readonly id: string;
  readonly anchor: HTMLElement;
  readonly entries: readonly MenuEntry[];
  readonly onClose: () => void;
}

export default function MenuBody({ id, anchor, entries, onClose }: MenuBodyProps) {
  return (
    <Menu id={id} anchorEl={anchor} open onClose={onClose}>
      {entries.map(({ title, onClick, link, disabled, sx }) => (
        <MenuItem
          key={title}
          {...link}
          disabled={disabled}
          onClick={() => {
            onClose();
            void onClick?.();
          }}
          sx={sx}
        >
          {title}
        </MenuItem>
      ))}
    </Menu>
  );
}

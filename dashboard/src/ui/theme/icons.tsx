/** The dashboard's icons: 24 by 24, one stroke width. */
import { SvgIcon, type SvgIconProps } from '@mui/material';
import type { ReactNode } from 'react';

function icon(name: string, shape: ReactNode) {
  function Icon(props: SvgIconProps) {
    return (
      <SvgIcon
        aria-hidden
        {...props}
        sx={[
          { fill: 'none', stroke: 'currentColor', strokeWidth: 1.8 },
          { strokeLinecap: 'round', strokeLinejoin: 'round' },
          ...(Array.isArray(props.sx) ? props.sx : [props.sx ?? false]),
        ]}
      >
        {shape}
      </SvgIcon>
    );
  }
  Icon.displayName = name;
  return Icon;
}

export const PulseIcon = icon('PulseIcon', <path d="M3 12h4l3-7 4 14 3-7h4" />);
export const CheckIcon = icon('CheckIcon', <path d="m5 12.5 4.5 4.5L19 7.5" />);
export const DashIcon = icon('DashIcon', <path d="M6.5 12h11" />);
export const CrossIcon = icon('CrossIcon', <path d="m6.5 6.5 11 11m0-11-11 11" />);
export const ClockIcon = icon(
  'ClockIcon',
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 7.5V12l3 2" />
  </>,
);
export const AlertIcon = icon('AlertIcon', <path d="M12 4 2.8 19.5h18.4L12 4Zm0 6v4.5m0 2.7v.1" />);
export const AlarmIcon = icon(
  'AlarmIcon',
  <path d="M12 4a5.5 5.5 0 0 0-5.5 5.5c0 5-2 6.5-2 6.5h15s-2-1.5-2-6.5A5.5 5.5 0 0 0 12 4Zm-1.8 15a2 2 0 0 0 3.6 0" />,
);
export const StopIcon = icon('StopIcon', <rect x="6.5" y="6.5" width="11" height="11" rx="1.5" />);
export const TrashIcon = icon(
  'TrashIcon',
  <path d="M4.5 6.5h15M9.5 6.5V4h5v2.5M6.5 6.5l1 13.5h9l1-13.5M10.2 10v6.5M13.8 10v6.5" />,
);
export const QueueIcon = icon('QueueIcon', <path d="M5 7h14M5 12h14M5 17h8" />);
export const ToolIcon = icon(
  'ToolIcon',
  <path d="M14.5 6.5a4 4 0 0 1 5-1l-2.6 2.6.5 2 2 .5L22 8a4 4 0 0 1-5.6 4.6L8.6 20.4a2 2 0 0 1-3-3l7.8-7.8a4 4 0 0 1 1.1-3.1Z" />,
);
export const ThoughtIcon = icon(
  'ThoughtIcon',
  <path d="M9.5 18.5h5M10 21.5h4M12 2.8a6.2 6.2 0 0 0-3.7 11.1c.8.7 1.2 1.4 1.2 2.1h5c0-.7.4-1.4 1.2-2.1A6.2 6.2 0 0 0 12 2.8Z" />,
);
export const ChatIcon = icon(
  'ChatIcon',
  <path d="M20.5 12a7.5 7.5 0 0 1-10.9 6.7L4 20l1.4-4.8A7.5 7.5 0 1 1 20.5 12Z" />,
);
export const ReportIcon = icon(
  'ReportIcon',
  <path d="M6.5 3h7.5l4.5 4.5V21h-12V3Zm7 .5V8h4.5M9.5 12.5h6M9.5 16h6" />,
);
export const PersonIcon = icon(
  'PersonIcon',
  <>
    <circle cx="12" cy="8" r="3.8" />
    <path d="M4.8 20a7.3 7.3 0 0 1 14.4 0" />
  </>,
);
export const CodeIcon = icon('CodeIcon', <path d="m8.5 7-5 5 5 5m7-10 5 5-5 5" />);
export const SearchIcon = icon(
  'SearchIcon',
  <>
    <circle cx="10.5" cy="10.5" r="6" />
    <path d="m15 15 5.5 5.5" />
  </>,
);
export const LinkIcon = icon(
  'LinkIcon',
  <path d="M10 14a4 4 0 0 0 5.7 0l3.5-3.5a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.5 3.5a4 4 0 0 0 5.7 5.7l1.5-1.5" />,
);
export const ShareIcon = icon('ShareIcon', <path d="M12 15V4m-4 4 4-4 4 4M5 13v6h14v-6" />);
export const CopyIcon = icon(
  'CopyIcon',
  <>
    <rect x="8.5" y="8.5" width="11.5" height="11.5" rx="2" />
    <path d="M15.5 8.5V4H4v11.5h4.5" />
  </>,
);
export const ChevronIcon = icon('ChevronIcon', <path d="m7 10 5 5 5-5" />);
export const ArrowDownIcon = icon('ArrowDownIcon', <path d="M12 4.5v15m-6-6 6 6 6-6" />);
export const ArrowUpIcon = icon('ArrowUpIcon', <path d="M12 19.5v-15m-6 6 6-6 6 6" />);
export const SlidersIcon = icon(
  'SlidersIcon',
  <>
    <path d="M4 7h8m4.5 0H20M4 17h3.5m4.5 0h8" />
    <circle cx="14.2" cy="7" r="2.2" />
    <circle cx="9.8" cy="17" r="2.2" />
  </>,
);
export const ServerIcon = icon(
  'ServerIcon',
  <path d="M4 4.5h16v6H4v-6Zm0 9h16v6H4v-6Zm3.5-6v.1m0 8.9v.1" />,
);
export const JoinIcon = icon('JoinIcon', <path d="M6 4v3c0 3 6 3 6 7v6m6-16v3c0 3-6 3-6 7" />);
export const SwitchIcon = icon(
  'SwitchIcon',
  <path d="M4 8.5h14m-4-4 4 4-4 4M20 16H6m4-4-4 4 4 4" />,
);
export const GaugeIcon = icon(
  'GaugeIcon',
  <path d="M4.6 18a9 9 0 1 1 14.8 0M12 14.5l4-5m-4 5v.1" />,
);
export const MaskIcon = icon(
  'MaskIcon',
  <path d="M3.5 8.5c5-2 12-2 17 0-.3 5.5-2.3 8-5 8-1.8 0-2.3-1.5-3.5-1.5s-1.7 1.5-3.5 1.5c-2.7 0-4.7-2.5-5-8Zm4.5 3.5h2m4 0h2" />,
);
export const ReplayIcon = icon(
  'ReplayIcon',
  <path d="M4.5 12a7.5 7.5 0 1 0 2.6-5.7M4 4.5v4.2h4.2" />,
);
export const PlusIcon = icon('PlusIcon', <path d="M12 5v14m-7-7h14" />);
export const InboxIcon = icon(
  'InboxIcon',
  <path d="M4 13.5 6.5 5h11l2.5 8.5V19H4v-5.5Zm0 0h5l1.2 2.5h3.6l1.2-2.5h5" />,
);
export const KeyIcon = icon(
  'KeyIcon',
  <>
    <circle cx="8" cy="15.5" r="4" />
    <path d="m11 12.5 8.5-8.5m-3 3 3 3m-6 0 2.5 2.5" />
  </>,
);
export const ListIcon = icon(
  'ListIcon',
  <path d="M8.5 6.5h11m-11 5.5h11m-11 5.5h11M4.5 6.5h.1m-.1 5.5h.1m-.1 5.5h.1" />,
);
export const TargetIcon = icon(
  'TargetIcon',
  <>
    <circle cx="12" cy="12" r="8" />
    <circle cx="12" cy="12" r="3" />
    <path d="M12 1.5V5m0 14v3.5M1.5 12H5m14 0h3.5" />
  </>,
);
export const ShieldIcon = icon(
  'ShieldIcon',
  <path d="M12 3 4.5 6v5.5c0 4.6 3.2 8 7.5 9.5 4.3-1.5 7.5-4.9 7.5-9.5V6L12 3Zm0 5.5v4m0 3v.1" />,
);

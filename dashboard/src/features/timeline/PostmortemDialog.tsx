import { Box, Skeleton } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { getPostmortem, postmortemKey } from '../../api/postmortem';
import { ErrorState } from '../../ui/notices/ErrorState';
import { TextDialog } from '../../ui/text/TextDialog';
import { ProseActions } from './ProseActions';

interface PostmortemDialogProps {
  /** Session id. */
  readonly session: string;
  readonly onClose: () => void;
}

/** The draft of a postmortem as Markdown, to copy or save. A review changes it, so it is made anew each time. */
export default function PostmortemDialog({ session, onClose }: PostmortemDialogProps) {
  const { data, error, refetch } = useQuery({
    queryKey: postmortemKey(session),
    queryFn: ({ signal }) => getPostmortem(session, signal),
    gcTime: 0,
  });
  return (
    <TextDialog
      title="Postmortem"
      label="Postmortem"
      text={data}
      href={undefined}
      file={`tarsy-${session}-postmortem.md`}
      onClose={onClose}
      testId="postmortem"
      actions={data !== undefined && <ProseActions session={session} />}
    >
      {error ? (
        <ErrorState
          title="Could not load postmortem"
          error={error}
          onRetry={() => void refetch()}
        />
      ) : (
        <Box role="status" aria-label="Loading postmortem">
          <Skeleton variant="rounded" height={240} />
        </Box>
      )}
    </TextDialog>
  );
}

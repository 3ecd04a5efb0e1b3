import { Box, Button } from '@mui/material';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { useMay } from '../../api/access';
import { asApiError } from '../../api/errors';
import { startDemo } from '../../api/replay';
import { pages } from '../../lib/browser/paths';
import { Secondary } from '../../ui/layout/Secondary';
import { toneText } from '../../ui/badges/tones';

/** Opens the investigation of a recorded incident. Hidden from users who may not submit alerts. */
export function DemoButton() {
  const navigate = useNavigate();
  const demo = useMutation({
    mutationFn: startDemo,
    onSuccess: ({ session_id: id }) => navigate(pages.session(id), { state: { submitted: true } }),
  });
  if (!useMay('submit_alert')) return null;
  return (
    <Box>
      <Button
        variant="outlined"
        disabled={demo.isPending}
        onClick={() => demo.mutate()}
        data-testid="start-demo"
      >
        Watch a recorded incident
      </Button>
      {demo.error && (
        <Secondary role="status" size="small" sx={{ mt: 0.5, color: toneText('error') }}>
          {asApiError(demo.error).message}
        </Secondary>
      )}
    </Box>
  );
}

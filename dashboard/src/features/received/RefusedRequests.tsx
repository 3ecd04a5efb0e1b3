import {
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
  Typography,
} from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { showBidiControls } from '../../lib/text/bidi';
import { describeRefusal } from '../../lib/session/received';
import { Panel } from '../../ui/layout/Panel';
import { DateTime } from '../../ui/numbers/times';
import { refusedQuery } from './queries';

/** Requests of sources that were refused, by minute. Nothing while there are none. */
export function RefusedRequests() {
  const { data } = useQuery(refusedQuery);
  if (data === undefined || data.length === 0) return null;
  return (
    <Panel title="Refused requests" testId="refused-requests" sx={{ mt: 2 }}>
      <Typography sx={{ mb: 1 }}>
        Nothing of these was kept. Look at the token, signature or address that the sender is
        configured with.
      </Typography>
      <TableContainer
        role="region"
        aria-label="Refused requests"
        tabIndex={0}
        sx={{ mx: -2, width: 'auto' }}
      >
        <Table size="small">
          <TableHead>
            <TableRow>
              <TableCell>Minute</TableCell>
              <TableCell>Source</TableCell>
              <TableCell>Sender</TableCell>
              <TableCell>Why</TableCell>
              <TableCell align="right">Requests</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {data.map(({ minute, source, sender, reason, requests }) => (
              <TableRow key={`${minute} ${source} ${sender} ${reason}`}>
                <TableCell>
                  <DateTime at={minute} />
                </TableCell>
                <TableCell sx={{ overflowWrap: 'anywhere' }}>
                  {source === '' ? 'several' : showBidiControls(source)}
                </TableCell>
                <TableCell sx={{ overflowWrap: 'anywhere' }}>
                  {sender === '' ? 'several' : showBidiControls(sender)}
                </TableCell>
                <TableCell>{describeRefusal(reason)}</TableCell>
                <TableCell align="right">{requests}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </TableContainer>
    </Panel>
  );
}

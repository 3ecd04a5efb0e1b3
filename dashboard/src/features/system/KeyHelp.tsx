import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Typography,
} from '@mui/material';

const variables = [
  { name: 'GOOGLE_API_KEY', provider: 'Google Gemini' },
  { name: 'OPENAI_API_KEY', provider: 'OpenAI' },
  { name: 'ANTHROPIC_API_KEY', provider: 'Anthropic' },
  { name: 'XAI_API_KEY', provider: 'xAI' },
];

interface KeyHelpProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

export function KeyHelp({ open, onClose }: KeyHelpProps) {
  return (
    <Dialog open={open} onClose={onClose} aria-labelledby="key-help-title" data-testid="key-help">
      <DialogTitle id="key-help-title">Configure an LLM provider</DialogTitle>
      <DialogContent>
        <Typography sx={{ mb: 1.5 }}>
          Set one of these environment variables for TARSy and restart it. Keys stay on the server
          and are never sent to the browser.
        </Typography>
        <Box component="ul" sx={{ m: 0, pl: 2.5, '& li': { mb: 0.5 } }}>
          {variables.map(({ name, provider }) => (
            <li key={name}>
              <Box component="code" sx={{ fontFamily: 'var(--tarsy-mono)', fontSize: '0.85rem' }}>
                {name}
              </Box>{' '}
              for {provider}
            </li>
          ))}
        </Box>
        <Typography sx={{ mt: 1.5, color: 'text.secondary' }}>
          The configuration selects the provider of each agent. Without a key, the rule-based
          offline analyst is used.
        </Typography>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

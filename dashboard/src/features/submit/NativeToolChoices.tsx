import { Box, Checkbox, FormControlLabel, MenuItem, TextField, Typography } from '@mui/material';
import type { DefaultTools } from '../../api/system';
import { Secondary } from '../../ui/layout/Secondary';
import { nativeTools, setNativeTool, setWithoutServers, type ToolSelection } from './toolSelection';

interface NativeToolChoicesProps {
  readonly selection: ToolSelection;
  /** Undefined while they are loading. */
  readonly defaults: DefaultTools | undefined;
  readonly change: (selection: ToolSelection) => void;
}

/** Switches the tools that the model provider itself runs, as far as the chain lets an alert do so. */
export function NativeToolChoices({ selection, defaults, change }: NativeToolChoicesProps) {
  const allowed = nativeTools.filter(({ id }) => defaults?.allowed_native_tools.includes(id));
  if (allowed.length === 0) return null;
  return (
    <Box role="group" aria-label="Provider-native tools">
      <Typography component="p" sx={{ fontSize: '0.8125rem', fontWeight: 600, mb: 1 }}>
        Provider-native tools
      </Typography>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5 }}>
        {allowed.map(({ id, label }) => (
          <NativeToolSelect
            key={id}
            id={id}
            label={label}
            value={selection.native[id]}
            defaultValue={defaults?.native_tools[id]}
            onChange={(on) => change(setNativeTool(selection, id, on))}
          />
        ))}
      </Box>
      <FormControlLabel
        sx={{ mt: 0.75 }}
        control={
          <Checkbox
            size="small"
            checked={selection.withoutServers}
            onChange={({ target }) => change(setWithoutServers(selection, target.checked))}
          />
        }
        label="Instead of tool servers"
      />
      <Secondary size="small">
        A model that uses tool servers does not get provider-native tools.
      </Secondary>
    </Box>
  );
}

interface NativeToolSelectProps {
  readonly id: string;
  readonly label: string;
  /** Undefined for the default. */
  readonly value: boolean | undefined;
  readonly defaultValue: boolean | undefined;
  /** Null selects the default. */
  readonly onChange: (on: boolean | null) => void;
}

const onOff = (on: boolean) => (on ? 'on' : 'off');

function NativeToolSelect({ id, label, value, defaultValue, onChange }: NativeToolSelectProps) {
  return (
    <TextField
      select
      size="small"
      label={label}
      value={value === undefined ? 'default' : onOff(value)}
      onChange={({ target }) => onChange(target.value === 'default' ? null : target.value === 'on')}
      sx={{ minWidth: 150 }}
      slotProps={{
        select: { SelectDisplayProps: { 'aria-label': label } },
        htmlInput: { 'data-testid': `native-${id}` },
      }}
    >
      <MenuItem value="default">
        {defaultValue === undefined ? 'Default' : `Default (${onOff(defaultValue)})`}
      </MenuItem>
      <MenuItem value="on">On</MenuItem>
      <MenuItem value="off">Off</MenuItem>
    </TextField>
  );
}

import { createTheme } from '@mui/material';

/** The light and dark schemes, selected by the attribute that `ui/theme/tokens.css` uses. */
export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'data-scheme' },
  colorSchemes: {
    light: {
      palette: {
        primary: { main: '#0f6e67', contrastText: '#ffffff' },
        error: { main: '#b01f2a' },
        background: { default: '#f4f6f8', paper: '#ffffff' },
        text: { primary: '#161b22', secondary: '#545d6b' },
        divider: '#dde2e9',
      },
    },
    dark: {
      palette: {
        primary: { main: '#4fd1c2', contrastText: '#06201d' },
        error: { main: '#ff8f8f', contrastText: '#2a0608' },
        background: { default: '#0f1318', paper: '#171c23' },
        text: { primary: '#e6eaf0', secondary: '#9da7b6' },
        divider: '#2a313b',
      },
    },
  },
  shape: { borderRadius: 8 },
  typography: {
    fontFamily: "'Inter Variable', system-ui, sans-serif",
    fontSize: 14,
    body1: { fontSize: '0.875rem', lineHeight: 1.55 },
    h1: { fontSize: '1.5rem', fontWeight: 680, letterSpacing: '-0.015em', lineHeight: 1.25 },
    h3: { fontSize: '0.9375rem', fontWeight: 650, letterSpacing: '-0.005em', lineHeight: 1.4 },
    button: { textTransform: 'none', fontWeight: 600 },
  },
  components: {
    MuiButtonBase: {
      styleOverrides: {
        root: {
          fontFamily: 'inherit',
          '&:focus-visible': {
            outline: '2px solid var(--mui-palette-primary-main)',
            outlineOffset: 2,
          },
        },
      },
    },
    MuiPaper: { styleOverrides: { root: { backgroundImage: 'none' } } },
    MuiButton: { defaultProps: { disableElevation: true } },
    MuiTableCell: {
      styleOverrides: {
        root: { borderColor: 'var(--mui-palette-divider)', paddingTop: 9, paddingBottom: 9 },
        head: { fontSize: '0.75rem', color: 'var(--mui-palette-text-secondary)', fontWeight: 600 },
      },
    },
    MuiDialogActions: { styleOverrides: { root: { padding: '8px 24px 16px' } } },
    // Above the notices at the end of the window.
    MuiSnackbar: {
      styleOverrides: {
        root: { '&&': { bottom: 'calc(var(--tarsy-notices-height, 0px) + 24px)' } },
      },
    },
    // Its list cuts off what is outside of a tab.
    MuiTab: { styleOverrides: { root: { '&:focus-visible': { outlineOffset: -2 } } } },
    MuiAlertTitle: { styleOverrides: { root: { fontSize: '0.875rem', fontWeight: 650 } } },
  },
});

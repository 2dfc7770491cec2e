import { createTheme, Menu, Select, type MantineColorsTuple } from "@mantine/core";

// Shades give text on "filled" and "light" variants a contrast of at least 4.5 in both schemes.
const seal: MantineColorsTuple = [
  "#e6f6f3", "#cfeae5", "#a0d6cb", "#6dc0b0", "#44ad99", "#2aa18a", "#0f8a75", "#0b6e5f", "#085a4e", "#04463c",
];

export const theme = createTheme({
  primaryColor: "seal",
  primaryShade: { light: 7, dark: 7 },
  colors: { seal },
  autoContrast: true,
  luminanceThreshold: 0.3,
  respectReducedMotion: true,
  defaultRadius: "md",
  cursorType: "pointer",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
  headings: { fontWeight: "650" },
  // Popovers are rendered where they were opened, not at the end of the document: screen readers find them there, within
  // a landmark. Their position is fixed, so that no scrolling area cuts them off.
  components: {
    Menu: Menu.extend({ defaultProps: { withinPortal: false, floatingStrategy: "fixed", withInitialFocusPlaceholder: false } }), // the first item takes the focus
    Select: Select.extend({ defaultProps: { comboboxProps: { withinPortal: false, floatingStrategy: "fixed" } } }),
  },
});

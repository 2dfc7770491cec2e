import { createTheme, Menu, Select, type MantineColorsTuple } from "@mantine/core";

// Shades are picked so that text on "filled" and "light" variants has a contrast of at least 4.5 in both schemes.
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
  // What unfolds stands in the document where it was unfolded, not behind its end: readers find it there, within a
  // landmark. Its place is fixed, so that nothing that scrolls cuts it off.
  components: {
    Menu: Menu.extend({ defaultProps: { withinPortal: false, floatingStrategy: "fixed", withInitialFocusPlaceholder: false } }), // of items alone: the first has the focus
    Select: Select.extend({ defaultProps: { comboboxProps: { withinPortal: false, floatingStrategy: "fixed" } } }),
  },
});

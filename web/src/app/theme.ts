import { createTheme, Menu, Select, type MantineColorsTuple } from "@mantine/core";

// Shades give text on "filled" and "light" variants a contrast of at least 4.5 in both schemes.
const seal: MantineColorsTuple = [
  "#e6f6f3", "#cfeae5", "#a0d6cb", "#6dc0b0", "#44ad99", "#2aa18a", "#0f8a75", "#0b6e5f", "#085a4e", "#04463c",
];

/** Headings of the family are wide: a little less space between letters, and lines that belong together. */
const heading = (fontSize: string, lineHeight: string) => ({ fontSize, lineHeight });

export const theme = createTheme({
  primaryColor: "seal",
  primaryShade: { light: 7, dark: 7 },
  colors: { seal },
  autoContrast: true,
  luminanceThreshold: 0.3,
  respectReducedMotion: true,
  defaultRadius: "md",
  radius: { xs: "0.25rem", sm: "0.375rem", md: "0.625rem", lg: "0.875rem", xl: "1.25rem" },
  spacing: { xs: "0.625rem", sm: "0.75rem", md: "1rem", lg: "1.375rem", xl: "2rem" },
  cursorType: "pointer",
  fontFamily: "'Plus Jakarta Sans', system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
  headings: { fontWeight: "700", sizes: { h1: heading("1.875rem", "1.25"), h2: heading("1.5rem", "1.3"), h3: heading("1.25rem", "1.35"), h4: heading("1.0625rem", "1.4"), h5: heading("1rem", "1.4") } },
  // Popovers are rendered where they were opened, not at the end of the document: screen readers find them there, within
  // a landmark. Their position is fixed, so that no scrolling area cuts them off.
  components: {
    Menu: Menu.extend({ defaultProps: { withinPortal: false, floatingStrategy: "fixed", withInitialFocusPlaceholder: false } }), // the first item takes the focus
    // The list of options scrolls by itself: a scrolling area around it could not be reached with the keyboard, the list is reached by way of the field.
    Select: Select.extend({ defaultProps: { comboboxProps: { withinPortal: false, floatingStrategy: "fixed" }, withScrollArea: false }, styles: { options: { maxHeight: "13.75rem", overflowY: "auto" } } }),
  },
});

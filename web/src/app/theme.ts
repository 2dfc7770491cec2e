import { createTheme, type MantineColorsTuple } from "@mantine/core";

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
});

/** Colours of people on a page, one a person. Each carries white text and stands out from the others without hue. */
export const personColours = ["#0b6e5f", "#7a3e9d", "#b3450b", "#1d5fb0", "#a3195b", "#5b6b00", "#6b4a2f", "#3c4a9f"] as const;

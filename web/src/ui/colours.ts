/** Colours of people on a page, one for each. White text is readable on every one, and they differ without hue. */
export const personColours = ["#0b6e5f", "#7a3e9d", "#b3450b", "#1d5fb0", "#a3195b", "#5b6b00", "#6b4a2f", "#3c4a9f"] as const;

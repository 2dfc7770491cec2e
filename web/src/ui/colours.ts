/** Colours of labels, by their names. White text is readable on every one, and each stands out from the page, light or dark. */
export const labelColours = { gray: "#68737f", red: "#cf3c32", orange: "#ba530f", yellow: "#8f6d00", green: "#268426", teal: "#128072", blue: "#2172cd", violet: "#9456bf" } as const;

/** Colours of people on a page, one for each. White text is readable on every one, and they differ without hue. */
export const personColours = ["#0b6e5f", "#7a3e9d", "#b3450b", "#1d5fb0", "#a3195b", "#5b6b00", "#6b4a2f", "#3c4a9f"] as const;

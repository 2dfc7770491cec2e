/** The name of a file without its extension. */
export const stem = (name: string): string => name.replace(/\.[^./\\]{1,5}$/, "") || name;

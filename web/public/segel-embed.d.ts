/** What segel-embed.js adds to the window. See docs/embedding.md. */
export interface SegelEmbedEvent {
  segel: 1;
  type: "ready" | "resize" | "viewed" | "signed" | "approved" | "declined" | "saved" | "placed" | "error" | "expired" | "closed";
  document_id?: number;
  user_id?: string;
  purpose?: "place" | "sign" | "view";
  /** Of resize: in CSS pixels. */
  height?: number;
  /** Of error and expired: as error.code of the interface. */
  code?: string;
  /** Of error and expired: a sentence for people. */
  message?: string;
}

export interface SegelEmbedOptions {
  /** The url of the answer to embed-docs. It can be opened once. */
  address: string;
  container: Element;
  onEvent?: (event: SegelEmbedEvent) => void;
  language?: "id" | "en";
  /** The accessible name of the frame. */
  title?: string;
  /** In CSS pixels; 480 if missing. */
  minHeight?: number;
}

export interface SegelEmbedFrame {
  frame: HTMLIFrameElement;
  /** Ends the session and removes the frame. */
  close: () => void;
}

declare global {
  interface Window {
    SegelEmbed: { version: 1; open: (options: SegelEmbedOptions) => SegelEmbedFrame };
  }
}

import "./app/mantine";
import "./app/app.css";

import { createRoot } from "react-dom/client";

import { App } from "./app/app";
import { loadText } from "./text";

void loadText().then(() => createRoot(document.getElementById("root")!).render(<App />));

import "./app/mantine";
import "./app/app.css";

import { createRoot } from "react-dom/client";

import { App } from "./app/app";

createRoot(document.getElementById("root")!).render(<App />);

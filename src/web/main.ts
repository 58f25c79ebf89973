import { loadLanguage } from "./shared/data/language.ts"
import "./shared/ui/layout/Tokens.css"

await loadLanguage()
await import("./app/start.tsx")

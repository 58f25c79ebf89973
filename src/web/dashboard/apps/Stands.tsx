import { Badge } from "../../ui/Badge.tsx"
import type { Standing } from "./Words.ts"

/** How something stands, in a word. */
export const Stands = ({ tone, word }: Standing) => <Badge tone={tone}>{word}</Badge>

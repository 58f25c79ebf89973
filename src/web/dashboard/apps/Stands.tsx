import { Badge } from "../../ui/Badge.tsx"
import type { StatusLabel } from "../../webhooks/deliveryLabels.ts"

/** How something stands, in a word. */
export const Stands = ({ tone, word }: StatusLabel) => <Badge tone={tone}>{word}</Badge>

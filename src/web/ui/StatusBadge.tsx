import { Badge, type Tone } from "./Badge.tsx"

/** Word and color of a status. */
export interface StatusLabel {
  readonly word: string
  readonly tone: Tone
}

export const StatusBadge = ({ tone, word }: StatusLabel) => <Badge tone={tone}>{word}</Badge>

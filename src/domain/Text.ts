/** Text as comparisons see it that ignore case. The one definition: the database compares what this made, byte by byte. */
export const fold = (text: string): string => text.toLowerCase()

export const isText = (value: unknown): value is string => typeof value === "string"

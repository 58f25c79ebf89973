export const complete = (spec: Record<string, unknown>) => spec

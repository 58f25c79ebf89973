/** The `handling` preferences of a request (RFC 7240, section 4.4). */
export interface Handling {
  /** Refuses unknown and read-only fields instead of ignoring them. */
  readonly strict: boolean
  /** Rolls the write back after its response is computed. */
  readonly "dry-run": boolean
}

/**
 * Parses `Prefer`. Every value counts, not only the first (RFC 7240, section 2): a missed dry run would write.
 */
export const parsePrefer = (prefer: string | undefined): Handling => {
  const preferences = (prefer ?? "")
    .split(",")
    .map((preference) => /^\s*handling\s*=\s*"?([\w-]+)"?\s*(?:;|$)/i.exec(preference)?.[1])
  const values = new Set(preferences.map((value) => value?.toLowerCase()))
  return { strict: values.has("strict"), "dry-run": values.has("dry-run") }
}

/** Makes the `Preference-Applied` header. */
export const formatPreferenceApplied = (
  { strict, ...others }: Handling,
  hasBody: boolean
): Readonly<Record<string, string>> => {
  const applied = [
    ...(strict && hasBody ? ["handling=strict"] : []),
    ...(others["dry-run"] ? ["handling=dry-run"] : [])
  ]
  return applied.length === 0 ? {} : { "preference-applied": applied.join(", ") }
}

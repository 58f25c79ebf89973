/** The preference `handling` of a request (RFC 7240, section 4.4). */
export interface Handling {
  /** Unknown and read-only fields are refused instead of ignored. */
  readonly strict: boolean
  /** The write is rolled back after its response is known. */
  readonly "dry-run": boolean
}

/**
 * Parses `Prefer`. All values count, not only the first (RFC 7240, section 2): an overlooked dry run would be a write.
 */
export const parsePrefer = (prefer: string | undefined): Handling => {
  const asked = (prefer ?? "")
    .split(",")
    .map((preference) => /^\s*handling\s*=\s*"?([\w-]+)"?\s*(?:;|$)/i.exec(preference)?.[1])
  const values = new Set(asked.map((value) => value?.toLowerCase()))
  return { strict: values.has("strict"), "dry-run": values.has("dry-run") }
}

/** The header `Preference-Applied`. */
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

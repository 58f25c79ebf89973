/** How the client wants its request to be handled (RFC 7240, section 4.4). */
export interface Handling {
  /** Fields that cannot be set are refused, and not ignored. */
  readonly strict: boolean
  /** The write is decided and answered, and nothing of it is kept. */
  readonly "dry-run": boolean
}

/**
 * What `Prefer` says of the handling. Of several values each counts, and not the first alone (section 2): a rehearsal that
 * nobody noticed would be a write.
 */
export const handlingOf = (prefer: string | undefined): Handling => {
  const asked = (prefer ?? "")
    .split(",")
    .map((preference) => /^\s*handling\s*=\s*"?([\w-]+)"?\s*(?:;|$)/i.exec(preference)?.[1])
  const values = new Set(asked.map((value) => value?.toLowerCase()))
  return { strict: values.has("strict"), "dry-run": values.has("dry-run") }
}

/** The header that tells which of it was followed. */
export const appliedOf = ({ strict, ...others }: Handling, hasBody: boolean): Readonly<Record<string, string>> => {
  const applied = [
    ...(strict && hasBody ? ["handling=strict"] : []),
    ...(others["dry-run"] ? ["handling=dry-run"] : [])
  ]
  return applied.length === 0 ? {} : { "preference-applied": applied.join(", ") }
}

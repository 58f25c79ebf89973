/** Letters, digits, hyphens, and underscores, which DNS takes and some hosts use. */
const LABEL = /^[a-z0-9_-]{1,63}$/

/** Whether DNS could know `name`, which is in lower case and has no dot at its end (RFC 1035, section 2.3.4). */
export const isHostName = (name: string): boolean =>
  name.length <= 253 && name.split(".").every((label) => LABEL.test(label))

/**
 * Top-level names of private networks and of DNS itself: RFC 6761 (localhost), RFC 6762 with its appendix G, RFC 8375
 * (home.arpa) and RFC 3172 (arpa), and what routers make up.
 */
const PRIVATE = new Set([
  "localhost",
  "localdomain",
  "local",
  "intranet",
  "internal",
  "private",
  "corp",
  "home",
  "lan",
  "arpa"
])

/** Whether no resolver of the open internet knows `name`: one without a dot, or below a top-level name of {@link PRIVATE}. */
export const isPrivateName = (name: string): boolean =>
  !name.includes(".") || PRIVATE.has(name.slice(name.lastIndexOf(".") + 1))
